use super::*;

/// What each command and operator becomes.
const SCRIPT: &str = "\
(set-logic UF)
(declare-sort Place 0)
; Some process stands here.
(declare-fun process (Place) Bool)
(declare-fun value.Candidate.0 (Place Place) Bool)
(declare-fun least-term (Place) Place)
(declare-fun Process () Bool)
(declare-const node Place)
(assert (forall ((x Place) (y Place)) (=> (process x) (or (= x y) (not (value.Candidate.0 x y))))))
(define-fun after.process ((a Place)) Bool (ite (= a node) true (process a)))
(define-fun after.least ((a Place)) Place (ite (= a node) node (least-term a)))
; nothing happens
(push 1)
(declare-const v0 Place)
(assert (exists ((node Place)) (let ((a.0 node)) (forall ((a.0 Place) (x Place)) (xor (process a.0) (process node))))))
(assert (let ((x v0)) (exists ((v0 Place)) (value.Candidate.0 x v0))))
(check-sat)
(pop 1)
";

fn translated(language: ConditionLanguage) -> String {
    let checks = vec![("nothing happens".to_owned(), true)];
    let script = Script::plain("a test,\nof two lines".into(), SCRIPT.into(), checks);
    language.write(&script, "Conditions0001")
}

#[test]
fn a_script_in_ivy() {
    assert_eq!(
        translated(ConditionLanguage::Ivy),
        "\
#lang ivy1.7
# a test,
# of two lines

type sort_Place
relation process_(X0:sort_Place)
relation value_Candidate_0(X0:sort_Place, X1:sort_Place)
function least_term(X0:sort_Place) : sort_Place
individual the_Process : bool
individual node : sort_Place
axiom (forall X:sort_Place, Y:sort_Place. (process_(X) -> ((X = Y) | ~value_Candidate_0(X, Y))))
relation after_process(X0:sort_Place)
definition after_process(A) = (((A = node) -> true) & (~(A = node) -> process_(A)))
function after_least(X0:sort_Place) : sort_Place
definition after_least(A) = (node if (A = node) else least_term(A))
# nothing happens
property [condition1] (forall V0:sort_Place. ~((exists Node:sort_Place. (forall A_0:sort_Place, X:sort_Place. \
~(process_(A_0) <-> process_(Node)))) & (exists V0_:sort_Place. value_Candidate_0(V0, V0_))))
"
    );
}

#[test]
fn a_script_in_tla() {
    assert_eq!(
        translated(ConditionLanguage::Tla),
        "\
---- MODULE Conditions0001 ----
\\* a test,
\\* of two lines

CONSTANT Sort_Place
CONSTANT process_(_)
ASSUME Assumed1 == (\\A of0 \\in Sort_Place : process_(of0) \\in BOOLEAN)
CONSTANT value_Candidate_0(_, _)
ASSUME Assumed2 == (\\A of0 \\in Sort_Place, of1 \\in Sort_Place : value_Candidate_0(of0, of1) \\in BOOLEAN)
CONSTANT least_term(_)
ASSUME Assumed3 == (\\A of0 \\in Sort_Place : least_term(of0) \\in Sort_Place)
CONSTANT Process
ASSUME Assumed4 == Process \\in BOOLEAN
CONSTANT node
ASSUME Assumed5 == node \\in Sort_Place
ASSUME Assumed6 == (\\A x \\in Sort_Place, y \\in Sort_Place : (process_(x) => ((x = y) \\/ ~value_Candidate_0(x, y))))
after_process(a) == (IF (a = node) THEN TRUE ELSE process_(a))
after_least(a) == (IF (a = node) THEN node ELSE least_term(a))
\\* nothing happens
THEOREM Condition1 == (\\A v0 \\in Sort_Place : ~((\\E node_ \\in Sort_Place : (\\A a_0 \\in Sort_Place, x \\in Sort_Place : \
~(process_(a_0) <=> process_(node_)))) /\\ (\\E v0_ \\in Sort_Place : value_Candidate_0(v0, v0_))))
  BY Assumed1, Assumed2, Assumed3, Assumed4, Assumed5, Assumed6 DEF after_process, after_least
====
"
    );
}
