use super::*;

#[test]
fn a_script_is_lines_or_semicolons() {
    let script =
        DemoScript::parse("kill leader; start all # again\n\nsuspend 2 500ms\nrepeat 2").unwrap();
    let steps: Vec<_> = script.steps().map(ToString::to_string).collect();
    let once = ["kill leader", "start all", "suspend 2 500ms"];
    assert_eq!(steps, [once, once].concat());
}

#[test]
fn every_step_is_written_as_it_is_read() {
    let all = "kill 1\ncrash 2\nstop leader\nsuspend 3\nsuspend follower-1 2s\nresume 3\ncut 4\ncut 4 in\n\
               cut leader out\nheal\nstart all\nstart 5\nresign\ntransfer 1\nwait 1500ms";
    let read = DemoScript::parse(all).unwrap();
    let steps: Vec<_> = read.steps().map(ToString::to_string).collect();
    assert_eq!(steps.join("\n"), all);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let wrong = |text: &str| DemoScript::parse(text).unwrap_err();
    assert!(wrong("heal\nexplode").starts_with("line 2: `explode` is no step; there are protocol"));
    assert!(wrong("kill 6").starts_with("line 1: `6`: write 1 to 5"));
    assert!(wrong("wait long").contains("write 250ms"));
    assert!(wrong("beat 1").starts_with("line 1: `"), "{}", wrong("beat 1"));
    assert!(wrong("heal\nrepeat 2\nheal").starts_with("line 3: `repeat` stands once"));
    assert!(wrong("heal; repeat 0").contains("from 1 to 100000"));
    assert_eq!(wrong("# nothing"), "the script has no step");
}
