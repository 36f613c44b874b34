//! Faults in coming up, with the record or without.

use super::{
    Edit, Fault,
    Found::{Explored, Walked},
    edit, fault,
};

const fn learning(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("learning.rs", within, was, is)
}

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "no quarantine",
        &[learning("fn recover", "self.quarantined = true;", "")],
        &[
            Explored("two members, a crash and a loss", "`backed`"),
            Walked("restarts", "hold Office"),
        ],
        "it may owe what it has forgotten",
    ),
    fault(
        "the quarantine is as short as a lease",
        &[learning("fn recover", "self.owed_for()", "self.setting.lease")],
        &[Explored("two members, a crash and a loss", "`backed`")],
        "on a faster clock it ends before what it owed",
    ),
    fault(
        "the promise is not written",
        &[learning("fn write_promise", "out.effects.write(promise(office), term.0);", "")],
        &[Walked("three members", "a term goes back")],
        "after a restart a lesser term is granted",
    ),
    fault(
        "the greatest term of all offices is not written",
        &[learning("fn write_promise", "out.effects.write(HIGHEST, term.0);", "")],
        &[Walked("two offices, two standers", "a term goes back")],
        "a member without a record learns too little",
    ),
    fault(
        "a lesser promise is written over a greater one",
        &[learning("fn write_promise", "out.effects.read(HIGHEST).unwrap_or(0) < term.0", "true")],
        &[Walked("two offices, two standers", "a term goes back")],
        "a member without a record learns too little",
    ),
    fault(
        "a record that is lost is taken for a new one",
        &[learning("fn recover", "out.effects.read(FLOOR).is_none()", "false")],
        &[Walked("work that stops late", "a term goes back")],
        "recovery without learning the promises",
    ),
    fault(
        "the smallest term that is learnt counts",
        &[learning(
            "fn learnt",
            "others().filter_map(highest).max()",
            "others().filter_map(highest).min()",
        )],
        &[Walked("two offices, two standers", "a term goes back")],
        "another has promised more",
    ),
    fault(
        "no member makes a new cluster",
        &[learning("fn learnt", "others().all(again)", "others().all(again) && false")],
        &[Walked("a new cluster", "vacant")],
        "all empty records wait for each other",
    ),
    fault(
        "founders do not remember each other",
        &[learning("fn learnt", "out.effects.write(founder(g), store);", "")],
        &[Walked("a new cluster", "vacant")],
        "the first to begin locks the others out",
    ),
    fault(
        "what was learnt is not written",
        &[learning("fn learnt", "out.effects.write(FLOOR, floor.0);", "")],
        &[Walked("a new cluster", "vacant")],
        "it learns for ever",
    ),
];
