use super::*;

#[test]
fn figures_are_percentiles_of_the_steps_that_moved_the_office() {
    let row = |next_ms| StepRow {
        step: "kill leader".to_owned(),
        effect: StepEffect { before: None, after: None, gone_ms: None, next_ms },
    };
    let mut rows: Vec<_> = (1..=100).rev().map(|ms| row(Some(f64::from(ms)))).collect();
    rows.push(row(None));
    let [figure] = figures(&rows).try_into().unwrap();
    let StepFigures { runs, median_ms, p99_ms, most_ms, .. } = figure;
    assert_eq!((runs, median_ms, p99_ms, most_ms), (100, 50.0, 99.0, 100.0));
    assert_eq!(figures(&rows[99..100])[0].p99_ms, 1.0);
}

#[test]
fn the_tour_can_be_read() {
    assert_eq!(DemoScript::parse(TOUR).unwrap().steps().count(), 13);
}
