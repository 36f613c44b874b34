//! A tabulated election in TLA+.

use super::{
    condition::{ModelCondition, Notation},
    election::{TabulatedElection, plain},
    tables::{TabulatedInput, TabulatedLink, TabulatedOutcome, TabulatedReaction},
};
use std::fmt;

const NOTATION: Notation = Notation {
    all: " /\\ ",
    any: " \\/ ",
    not: "~",
    truth: ["FALSE", "TRUE"],
    state: |process| format!("local[{process}]"),
    equal: "=",
    empty: |link| format!("(queue[{link}] = <<>>)"),
    none_kept: |link| format!("(kept[{link}] = <<>>)"),
    waits: |process| format!("(waits[{process}] # <<>>)"),
};

/// The same of the states `of`, which need not be those of now.
const OF_STATES: Notation = Notation { state: |process| format!("of[{process}]"), ..NOTATION };

/// The reactions are a set of records, and one action performs any of them.
pub(super) struct Tla<'a>(pub &'a TabulatedElection, pub &'a str);

impl fmt::Display for Tla<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(of, module) = self;
        writeln!(f, "---- MODULE {module} ----")?;
        of.write_head(f, "\\* ")?;
        writeln!(
            f,
            "\\*\n\\* To check it, with this file as {module}.tla: tlc {module}, with {module}.cfg, which says"
        )?;
        writeln!(f, "\\*   SPECIFICATION Spec")?;
        writeln!(f, "\\*   INVARIANTS Possible Always Ended")?;
        writeln!(f, "\\*   CHECK_DEADLOCK FALSE")?;
        writeln!(
            f,
            "\\* TLC is to find {} distinct states. Add `PROPERTY Terminates` where there is no chance.",
            of.configurations
        )?;
        let variables: Vec<_> = self.variables().collect();
        writeln!(f, "EXTENDS Integers, Sequences\n\nVARIABLES {}\n", variables.join(", "))?;
        writeln!(f, "Processes == 0..{}", of.processes.len() - 1)?;
        writeln!(f, "Links == 0..{}", of.links.len() - 1)?;
        for (number, link) in of.links.iter().enumerate() {
            writeln!(
                f,
                "\\* link {number}: from {}, port {}, to {}",
                link.from, link.port, link.to
            )?;
        }
        for (number, message) in of.messages.iter().enumerate() {
            writeln!(f, "\\* message {number}: {}", plain(message))?;
        }
        self.write_reactions(f)?;
        let goals = &of.goals;
        match of.setting.is_plain() {
            true => f.write_str(DYNAMICS)?,
            false => self.write_dynamics(f)?,
        }
        f.write_str("\nPossible == \\A r \\in Reactions : Enabled(r) => r.possible\n")?;
        writeln!(f, "Always == {}", goals.always.text(&NOTATION))?;
        writeln!(f, "Quiet == {}", goals.quiet.text(&NOTATION))?;
        writeln!(f, "Ended == Quiet => {}", goals.at_the_end.text(&NOTATION))?;
        writeln!(f, "Terminates == <>Quiet\n====")
    }
}

const DYNAMICS: &str = r"
Init == local = [process \in Processes |-> 0] /\ queue = [link \in Links |-> <<>>]

\* A reaction to a message needs it to be the first of its link; one without a message has the link -1.
Enabled(r) ==
    /\ local[r.process] = r.from
    /\ r.link # -1 => (queue[r.link] # <<>> /\ Head(queue[r.link]) = r.message)

Sent(r, link) ==
    LET all == SelectSeq(r.sends, LAMBDA sent : sent[1] = link)
    IN [i \in 1..Len(all) |-> all[i][2]]

React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ queue' = [link \in Links |->
        (IF link = r.link THEN Tail(queue[link]) ELSE queue[link]) \o Sent(r, link)]

Next == \E r \in Reactions : React(r)
Spec == Init /\ [][Next]_<<local, queue>> /\ WF_<<local, queue>>(Next)
";

/// Links in the order of sending.
const IN_ORDER: &str = r"
Arrives(of, message) == of # <<>> /\ Head(of) = message
Without(of, message) == Tail(of)
With(of, sent) == of \o sent
";

/// Links without an order: their messages are sorted.
const ANY_ORDER: &str = r"
Arrives(of, message) == \E i \in 1..Len(of) : of[i] = message
Before(of, message) == SelectSeq(of, LAMBDA other : other < message)
Same(of, message) == SelectSeq(of, LAMBDA other : other = message)
After(of, message) == SelectSeq(of, LAMBDA other : other > message)
Without(of, message) == Before(of, message) \o Tail(Same(of, message)) \o After(of, message)
RECURSIVE With(_, _)
With(of, sent) ==
    IF sent = <<>> THEN of
    ELSE LET first == Head(sent)
         IN With(Before(of, first) \o Same(of, first) \o <<first>> \o After(of, first), Tail(sent))
";

/// What processes have sent moves to links while there is room. What reaches a process that has crashed is lost.
const ROOM: &str = r"
RECURSIVE Move(_, _, _)
Move(of, links, sent) ==
    IF sent = <<>> THEN [queue |-> links, rest |-> <<>>]
    ELSE LET link == sent[1][1] IN
        IF Crashed(of, To[link]) THEN Move(of, links, Tail(sent))
        ELSE IF Len(links[link]) >= Capacity THEN [queue |-> links, rest |-> sent]
        ELSE Move(of, [links EXCEPT ![link] = Append(@, sent[1][2])], Tail(sent))
Moved(of, links, all) ==
    LET each == [p \in Processes |-> Move(of, links, all[p])]
    IN [queue |-> [link \in Links |-> each[From[link]].queue[link]],
        waits |-> [p \in Processes |-> each[p].rest]]
";

/// Messages sent in a tick are kept until the next one. An alarm is the number of ticks until it rings, and one more; 0
/// is none.
const ROUNDS: &str = r"
Arriving(p) == \E link \in Links : To[link] = p /\ queue[link] # <<>>
";

const TAKEN: &str = r#"
Sent(r, link) ==
    LET all == SelectSeq(r.sends, LAMBDA sent : sent[1] = link)
    IN [i \in 1..Len(all) |-> all[i][2]]

Taken(r) == [link \in Links |->
    IF link = r.link THEN Without(queue[link], r.message)
    ELSE IF r.kind = "crash" /\ To[link] = r.process THEN <<>>
    ELSE queue[link]]
"#;

const REACT: &str = r"
React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ LET taken == Taken(r)
       IN queue' = [link \in Links |->
           IF Crashed(local', To[link]) THEN taken[link] ELSE With(taken[link], Sent(r, link))]
";

const REACT_WITH_ROOM: &str = r#"
React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ LET all == [waits EXCEPT ![r.process] = IF r.kind = "crash" THEN <<>> ELSE @ \o r.sends]
           moved == Moved(local', Taken(r), all)
       IN queue' = moved.queue /\ waits' = moved.waits
"#;

const REACT_IN_ROUNDS: &str = r#"
React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ queue' = Taken(r)
    /\ kept' = [link \in Links |-> kept[link] \o Sent(r, link)]
    /\ begins' = (begins /\ r.kind \in {"wake", "crash"})
    /\ alarm' = IF r.alarm = -1 THEN alarm ELSE [alarm EXCEPT ![r.process] = r.alarm]
"#;

/// Where nothing is under way and no process may wake, time passes until an alarm rings.
const TICK: &str = r"
Tick ==
    /\ \A p \in Processes : ~Arriving(p) /\ alarm[p] # 1
    /\ LET sent == \E link \in Links : kept[link] # <<>>
           set == {alarm[p] : p \in Processes} \ {0}
           ticks == IF sent \/ Sleeping THEN 1
                    ELSE (CHOOSE least \in set : \A other \in set : least <= other) - 1
       IN /\ sent \/ set # {} \/ (~begins /\ Sleeping)
          /\ alarm' = [p \in Processes |-> IF alarm[p] = 0 THEN 0 ELSE alarm[p] - ticks]
    /\ queue' = [link \in Links |->
        IF Crashed(local, To[link]) THEN queue[link] ELSE queue[link] \o kept[link]]
    /\ kept' = [link \in Links |-> <<>>]
    /\ begins' = TRUE
";

/// What a model that is not plain says of a reaction besides.
fn further(reaction: &TabulatedReaction, outcome: &TabulatedOutcome) -> String {
    let kind = match reaction.input {
        TabulatedInput::Wake => "wake",
        TabulatedInput::Alarm => "alarm",
        TabulatedInput::Crash => "crash",
        TabulatedInput::Receive(..) => "receive",
    };
    let alarm = outcome.alarm.map_or(-1, i64::from);
    format!(", kind |-> \"{kind}\", alarm |-> {alarm}")
}

impl Tla<'_> {
    fn variables(&self) -> impl Iterator<Item = &'static str> {
        let setting = self.0.setting;
        [
            ("local", true),
            ("queue", true),
            ("waits", setting.capacity.is_some()),
            ("kept", setting.in_rounds),
            ("begins", setting.in_rounds),
            ("alarm", setting.in_rounds),
            ("left", setting.faults.counted()),
        ]
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
    }

    /// That an action changes only these variables.
    fn others(&self, changed: &[&str]) -> String {
        let others: Vec<_> = self.variables().filter(|name| !changed.contains(name)).collect();
        match others.is_empty() {
            true => String::new(),
            false => format!("    /\\ UNCHANGED <<{}>>\n", others.join(", ")),
        }
    }

    /// The next steps, where there is more than reactions.
    fn write_dynamics(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let setting = of.setting;
        let ends = |end: &dyn Fn(&TabulatedLink) -> u32| {
            let ends: Vec<_> = of.links.iter().map(|link| end(link).to_string()).collect();
            format!("[link \\in Links |-> <<{}>>[link + 1]]", ends.join(", "))
        };
        writeln!(f, "\nFrom == {}\nTo == {}", ends(&|link| link.from), ends(&|link| link.to))?;
        let each = |of: &[ModelCondition], notation: &Notation| {
            let each = of.iter().enumerate();
            let each =
                each.map(|(process, is)| format!("(p = {process} /\\ {})", is.text(notation)));
            each.collect::<Vec<_>>().join(" \\/ ")
        };
        writeln!(f, "\\* Whether a process may still wake by itself, and whether it has crashed.")?;
        writeln!(f, "MayWake(p) == {}", each(&of.goals.may_wake, &NOTATION))?;
        writeln!(f, "Crashed(of, p) == {}", each(&of.goals.crashed, &OF_STATES))?;
        writeln!(f, "Sleeping == \\E p \\in Processes : MayWake(p)")?;
        f.write_str(if setting.faults.no_fifo { ANY_ORDER } else { IN_ORDER })?;
        if let Some(capacity) = setting.capacity {
            writeln!(f, "Capacity == {capacity}{ROOM}")?;
        }
        if setting.in_rounds {
            f.write_str(ROUNDS)?;
        }
        self.write_init(f)?;
        self.write_enabled(f)?;
        self.write_react(f)?;
        self.write_surroundings(f)?;
        let vars: Vec<_> = self.variables().collect();
        let vars = vars.join(", ");
        writeln!(f, "Spec == Init /\\ [][Next]_<<{vars}>> /\\ WF_<<{vars}>>(Next)")
    }

    fn write_init(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.0.setting.faults;
        writeln!(f, "\nInit ==")?;
        for name in self.variables() {
            let first = match name {
                "local" | "alarm" => "[p \\in Processes |-> 0]".to_owned(),
                "waits" => "[p \\in Processes |-> <<>>]".to_owned(),
                "begins" => "TRUE".to_owned(),
                "left" => format!(
                    "[loss |-> {}, copy |-> {}, crash |-> {}]",
                    faults.loss, faults.duplicate, faults.crash
                ),
                _ => "[link \\in Links |-> <<>>]".to_owned(),
            };
            writeln!(f, "    /\\ {name} = {first}")?;
        }
        Ok(())
    }

    fn write_enabled(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setting = self.0.setting;
        writeln!(f, "\nEnabled(r) ==\n    /\\ local[r.process] = r.from")?;
        writeln!(f, "    /\\ r.kind = \"receive\" => Arrives(queue[r.link], r.message)")?;
        let earlier = "\\A p \\in 0..r.process - 1 :";
        let needs = [
            (
                setting.at_start,
                format!("IF r.kind = \"wake\" THEN {earlier} ~MayWake(p) ELSE ~Sleeping"),
            ),
            (
                setting.capacity.is_some(),
                "r.kind # \"crash\" => waits[r.process] = <<>>".to_owned(),
            ),
            (setting.faults.crash > 0, "r.kind = \"crash\" => left.crash > 0".to_owned()),
            (setting.in_rounds, "r.kind = \"wake\" => begins".to_owned()),
            (setting.in_rounds, format!("r.kind = \"receive\" => {earlier} ~Arriving(p)")),
            (
                setting.in_rounds,
                format!(
                    "r.kind = \"alarm\" => (\\A p \\in Processes : ~Arriving(p)) /\\ alarm[r.process] = 1 /\\ \
                     {earlier} alarm[p] # 1"
                ),
            ),
        ];
        needs.iter().filter(|(is, _)| *is).try_for_each(|(_, need)| writeln!(f, "    /\\ {need}"))
    }

    fn write_react(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setting = self.0.setting;
        f.write_str(TAKEN)?;
        f.write_str(match (setting.in_rounds, setting.capacity) {
            (true, _) => REACT_IN_ROUNDS,
            (_, Some(_)) => REACT_WITH_ROOM,
            _ => REACT,
        })?;
        if setting.faults.counted() {
            let left = "IF r.kind = \"crash\" THEN [left EXCEPT !.crash = @ - 1] ELSE left";
            writeln!(f, "    /\\ left' = {left}")?;
        }
        Ok(())
    }

    /// What happens to links and to time.
    fn write_surroundings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setting = self.0.setting;
        let awake = if setting.at_start { " /\\ ~Sleeping" } else { "" };
        let mut next = vec!["(\\E r \\in Reactions : React(r))"];
        let room = setting.capacity.map_or("", |_| " /\\ Len(queue[link]) < Capacity");
        let faults = [
            (setting.faults.loss, "Lose", "loss", "", "Tail(@)"),
            (setting.faults.duplicate, "Double", "copy", room, "<<Head(@)>> \\o @"),
        ];
        for (_, name, left, room, becomes) in faults.into_iter().filter(|(most, ..)| *most > 0) {
            writeln!(f, "\n{name}(link) ==")?;
            writeln!(f, "    /\\ left.{left} > 0 /\\ queue[link] # <<>>{room}{awake}")?;
            writeln!(f, "    /\\ left' = [left EXCEPT !.{left} = @ - 1]")?;
            let queue = format!("[queue EXCEPT ![link] = {becomes}]");
            match setting.capacity {
                Some(_) => {
                    writeln!(f, "    /\\ LET moved == Moved(local, {queue}, waits)")?;
                    writeln!(f, "       IN queue' = moved.queue /\\ waits' = moved.waits")?;
                    f.write_str(&self.others(&["left", "queue", "waits"]))?;
                }
                None => {
                    writeln!(f, "    /\\ queue' = {queue}")?;
                    f.write_str(&self.others(&["left", "queue"]))?;
                }
            }
            next.push(match name {
                "Lose" => "(\\E link \\in Links : Lose(link))",
                _ => "(\\E link \\in Links : Double(link))",
            });
        }
        if setting.in_rounds {
            write!(f, "{TICK}{}", self.others(&["queue", "kept", "alarm", "begins"]))?;
            if setting.at_start {
                writeln!(f, "    /\\ ~Sleeping")?;
            }
            next.push("Tick");
        }
        writeln!(f, "\nNext == {}", next.join(" \\/ "))
    }

    fn write_reactions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        writeln!(f, "\nReactions == {{")?;
        let mut separator = " ";
        for process in 0..of.processes.len() {
            for (reaction, outcome) in of.outcomes(process) {
                let (from, to) = (reaction.from, outcome.to);
                let (link, message) = match reaction.input {
                    TabulatedInput::Receive(link, message) => {
                        (link.to_string(), message.to_string())
                    }
                    _ => ("-1".into(), "-1".into()),
                };
                let more = match of.setting.is_plain() {
                    true => String::new(),
                    false => further(reaction, outcome),
                };
                let sends =
                    outcome.sends.iter().map(|(link, message)| format!("<<{link}, {message}>>"));
                let sends: Vec<_> = sends.collect();
                let possible = if outcome.violation.is_none() { "TRUE" } else { "FALSE" };
                writeln!(f, "  \\* process {process} {}", of.words(process, reaction, outcome))?;
                if let Some(violation) = &outcome.violation {
                    writeln!(f, "  \\* This violates a property: {}", plain(violation))?;
                }
                writeln!(
                    f,
                    "  {separator}[process |-> {process}, from |-> {from}, link |-> {link}, message |-> {message}, \
                     to |-> {to}, sends |-> <<{}>>{more}, possible |-> {possible}]",
                    sends.join(", ")
                )?;
                separator = ",";
            }
        }
        writeln!(f, "}}")
    }
}
