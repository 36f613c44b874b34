use super::*;

/// A document that has the first short row, and the first and the last long one.
fn some() -> ExploredDocument {
    let mut document = ExploredDocument::new(&rows());
    let last = document.rows.len() - 1;
    let long = document.rows.iter().position(|row| row.long).unwrap();
    for (number, configurations) in [(0, "1,000"), (long, "20"), (last, "3")] {
        let row = &mut document.rows[number];
        row.line = Some(format!("{} {configurations} | 7 |\n", row.start));
    }
    document
}

#[test]
fn every_row_can_be_picked_by_how_it_starts() {
    let document = ExploredDocument::new(&rows());
    for row in &document.rows {
        let same = document.rows.iter().filter(|other| other.start.contains(&row.start));
        assert_eq!(same.count(), 1, "{}", row.start);
    }
}

#[test]
fn rows_that_are_not_explored_again_stay_as_they_are() {
    let written = some().to_string();
    assert!(written.ends_with("| 3 | 7 |\n\n1,023 configurations in all; nothing was broken.\n"));
    let mut again = ExploredDocument::new(&rows());
    again.keep(&written);
    assert_eq!(again.to_string(), written);
    again.rows[0].line = Some(format!("{} 999 | 8 |\n", again.rows[0].start));
    let replaced = written.replace("1,000 | 7", "999 | 8").replace("1,023", "1,022");
    assert_eq!(again.to_string(), replaced);
}

#[test]
fn rows_of_an_earlier_explorer_are_marked_until_they_are_explored_again() {
    let mut document = some();
    let last = document.rows.pop().unwrap();
    let line = last.line.clone().unwrap().replacen(" |", &format!("{MARK} |"), 1);
    document.rows.push(DocumentRow { line: Some(line), ..last });
    let marked = document.to_string();
    assert!(marked.contains(&format!("## Long\n{LEGEND}\n| what")), "{marked}");
    let mut again = ExploredDocument::new(&rows());
    again.keep(&marked);
    assert_eq!(again.to_string(), marked);
    again.rows.last_mut().unwrap().line = some().rows.pop().unwrap().line;
    assert_eq!(again.to_string(), some().to_string());
}

#[test]
fn a_row_that_is_not_explored_completely_is_no_success() {
    let mut document = some();
    assert_eq!(document.incomplete(), 0);
    let line = format!("{} 1,000{INCOMPLETE} | 7 |\n", document.rows[0].start);
    document.rows[0].line = Some(line);
    assert_eq!(document.incomplete(), 1);
    let sum = "\n1,023 configurations in all, of one row not all; nothing was broken.\n";
    assert_eq!(document.sum(), sum);
}
