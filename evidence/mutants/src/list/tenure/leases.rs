//! Faults in the leases.

use super::{
    Edit, Fault,
    Found::{Explored, Simulated, Walked},
    edit, fault,
};

const fn leases(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("leases.rs", within, was, is)
}

const OWED_FOR: &str =
    "self.setting.clocks.outlasting(self.setting.lease.saturating_add(self.setting.stop))";

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "the lease is counted from the receipt of the acknowledgement",
        &[leases(
            "fn acknowledged",
            "self.held.at[g.0 as usize] = Lease { number, epoch, able, after, silent: 0 };",
            "self.held.at[g.0 as usize] = Lease { number, epoch, able, after, silent: 0 };
            out.effects.set_alarm(Alarm::Renewal(number), self.setting.lease);",
        )],
        &[Explored("two members", "`backed`"), Walked("three members", "hold Office")],
        "the granter counts from the receipt of the renewal, which was before",
    ),
    fault(
        "the granter's alarm is as short as the holder's",
        &[leases("fn owed_for", OWED_FOR, "self.setting.lease")],
        &[Explored("two members", "`backed`"), Walked("two offices, two standers", "hold Office")],
        "on a faster clock it rings first",
    ),
    fault(
        "the ratio of the clocks is not heeded",
        &[leases("fn owed_for", OWED_FOR, "self.setting.lease + self.setting.stop")],
        &[Explored("two members", "`backed`"), Walked("two offices, two standers", "hold Office")],
        "as before, with time for stopping",
    ),
    fault(
        "leases are owed without the time for stopping",
        &[leases("fn owed_for", OWED_FOR, "self.setting.clocks.outlasting(self.setting.lease)")],
        &[Simulated("five members, time for stopping", "one")],
        "the old leader's work goes on when the next leads",
    ),
    fault(
        "a renewal's alarm changes nothing",
        &[leases("fn expired", "self.held.rung = self.held.rung.max(number);", "")],
        &[Explored("two members", "`backed`"), Walked("two offices, two standers", "hold Office")],
        "a leader that is cut off leads for ever",
    ),
    fault(
        "a lease lasts as long as its last renewal but one",
        &[leases(
            "fn lasts",
            "self.at[g.0 as usize].number > self.rung",
            "self.at[g.0 as usize].number >= self.rung",
        )],
        &[Explored("two members", "`backed`"), Walked("two offices, two standers", "hold Office")],
        "`>=` for `>`: a renewal counts whose alarm has rung",
    ),
    fault(
        "what was granted in an older epoch counts",
        &[leases(
            "fn acknowledged",
            "if anew {
            self.asked_nothing(g);
        }",
            "",
        )],
        &[
            Explored("two members, a crash and a loss", "`backed`"),
            Walked("restarts", "hold Office"),
        ],
        "h is suspended, its lease runs out and is renewed afterwards: of what was granted before, g owes nothing",
    ),
    fault(
        "acknowledgements count whose renewal's alarm has rung",
        &[leases("fn is_past", "number <= self.held.rung", "false")],
        &[],
        "a lease counts by the number of its renewal, so one whose alarm has rung does not last, acknowledged or not",
    ),
    fault(
        "an epoch is never over",
        &[leases("fn renewed", "self.owed.epochs += 1;", "")],
        &[Walked("three members", "vacant")],
        "a lapse and a restart go unnoticed by the holder",
    ),
    fault(
        "a new boot does not free what the old one held",
        &[leases("fn renewed", "boot > debt.boot", "false")],
        &[Walked("many candidates", "a term goes back")],
        "the granter keeps the vote for a process that knows nothing of it",
    ),
    fault(
        "that a lease is over is not told",
        &[leases("fn renew(", "lease.number > 0", "false")],
        &[Explored("three members, cut one way", "does not hear")],
        "the granter keeps the vote for a process that does not hear of it",
    ),
    fault(
        "that a lease is over is told while its vote protects work",
        &[leases("fn renew(", "!self.needs(g, lease.silent)", "true")],
        &[Simulated("five members, time for stopping", "one")],
        "the next leader begins before the work of the last one has ended",
    ),
    fault(
        "a leader never gives up the vote of a silent member",
        &[leases("fn needs", "silent <= moment", "true")],
        &[Explored("three members, two offices, cut one way", "does not hear")],
        "the member's vote in another office stays with the leader, which has not heard of it",
    ),
    fault(
        "a leader gives up the vote of a silent member at once",
        &[leases("fn needs", "silent <= moment", "false")],
        &[],
        "the promises hold, but where many messages are lost, a leader loses votes that it could keep",
    ),
    fault(
        "an epoch that was told to be over counts again",
        &[leases("fn is_over", "epoch == lease.epoch && lease.number == 0", "false")],
        &[Explored("one of two members stands, any order", "`backed`")],
        "a late acknowledgement of the lease that the granter has forgotten is taken for a new one",
    ),
    fault(
        "a lost lease frees nothing",
        &[leases("fn lapse", "self.forget(h, out);", "")],
        &[
            Explored("two members, a loss", "`leased`"),
            Walked("two offices, two standers", "a term goes back"),
        ],
        "the grant stays with a peer without a lease",
    ),
    fault(
        "a lease that has run out stays",
        &[leases("fn lapse", "self.owed.to.remove(i);", "")],
        &[Walked("two offices, two standers", "hold Office")],
        "its epoch goes on, while the grants are gone",
    ),
    fault(
        "half of the members are a majority to be connected with",
        &[leases(
            "fn connected",
            "self.setting.everyone().filter(able).count()",
            "self.setting.everyone().filter(able).count() + 1",
        )],
        &[
            Explored("two members and a stander, cut one way", "does not hear"),
            Simulated("two members, a stander", "soon"),
        ],
        "a candidate that cannot win keeps the votes of others",
    ),
    fault(
        "alarms are cancelled whose renewal some member has acknowledged last",
        &[leases(
            "fn trim",
            "self.setting.others().map(|g| self.held.at[g.0 as usize].number).min()",
            "self.setting.others().map(|g| self.held.at[g.0 as usize].number).max()",
        )],
        &[
            Explored("two members and a stander, a crash", "there has been"),
            Simulated("three members", "stable"),
        ],
        "leases at slower members are lost, and with them the alarms that end tenures",
    ),
    fault(
        "the end of a lease is not heeded until the next message",
        &[leases(
            "fn expired",
            "if lost {
            self.pursue_all(out);
        }",
            "",
        )],
        &[Walked("work that stops late", "hold Office")],
        "the leader does not stop when its alarm rings",
    ),
];
