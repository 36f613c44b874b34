use super::*;

#[test]
fn names_are_checked() {
    let long = "x".repeat(LONGEST_NAME + 1);
    for bad in ["", "a\nb", "\u{7f}", &long] {
        assert_eq!(OfficeName::new(bad), Err(OfficeError::Name(bad.to_owned())));
    }
    assert_eq!(OfficeName::new("db-primary").unwrap().name(), "db-primary");
    assert!(OfficeName::new(&long[1..]).is_ok());
}

#[test]
fn two_names_of_one_number_are_refused_with_both_names() {
    let names = OfficeNames::default();
    let one = OfficeName::new("one").unwrap();
    let other = OfficeName { name: "other".into(), number: one.number };
    assert_eq!(names.check(&one).and(names.check(&other)), Ok(()));
    assert_eq!(names.enter(&one), Ok(()));
    assert_eq!(names.enter(&one), Ok(()));
    assert_eq!(names.check(&one), Ok(()));
    assert_eq!(names.check(&other), names.enter(&other));
    let refused = names.enter(&other).unwrap_err().to_string();
    assert!(refused.contains("`one`") && refused.contains("`other`"), "{refused}");
}
