use super::*;

#[test]
fn only_programs_of_the_host_stand_and_only_operators_make_leaders_leave() {
    let office = || "db".to_owned();
    let stand = Request::Stand { office: office(), priority: None, stop_ms: None };
    let resign = Request::Resign { office: office() };
    let transfer = Request::Transfer { office: office(), to: "b".to_owned() };
    let allowed = |rights: Rights| {
        [&stand, &resign, &transfer, &Request::List].map(|what| rights.refuse(what).is_none())
    };
    assert_eq!(allowed(Rights::Local), [true, true, true, true]);
    assert_eq!(allowed(Rights::Operator), [false, true, true, true]);
    assert_eq!(allowed(Rights::Reader), [false, false, false, true]);
}
