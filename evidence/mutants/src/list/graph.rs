//! Faults in the algorithms for any graph that are not waves.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, fault, only_invariant, sampled};

pub(super) const GALLAGER_HUMBLET_SPIRA: Suite = Suite {
    algorithm: "gallager-humblet-spira",
    file: "graph/gallager_humblet_spira.rs",
    process: "GallagerHumbletSpira",
    faults: &[
        fault(
            "absorbs its equals",
            "Connect(level) if level < self.level && self.edge(j) != Rejected",
            "Connect(level) if level <= self.level && self.edge(j) != Rejected",
            "possible-messages",
            "an initiate comes from a fragment of no higher level",
        ),
        fault(
            "does not defer a connect",
            "Connect(level) if level == self.level && self.edge(j) == Basic => return false,",
            "Connect(level) if level == self.level && self.edge(j) == Basic => {}",
            "exactly-one-leader",
            "a fragment that has connected to another of its level waits forever",
        ),
        fault(
            "does not defer a report",
            "Report(_) if j == self.in_branch && self.state == Find => return false,",
            "Report(_) if j == self.in_branch && self.state == Find => {}",
            "agreement",
            "one end of the core waits for the report of the other",
        ),
        fault(
            "does not defer a test",
            "Test(level, _) if level > self.level => return false,",
            "",
            "possible-messages",
            "a process of the same fragment that does not know it yet accepts",
        ),
        fault(
            "waits for no report",
            "net.send(port, msg);\n                        self.missing += u32::from(find);",
            "net.send(port, msg);",
            "possible-messages",
            "a process reports before those beyond it have, whose reports then fit nothing",
        ),
        fault(
            "forgets who is absorbed",
            "self.link(j).edge = Branch;\n                let find",
            "let find",
            "agreement",
            "the end is not told through the link",
        ),
        fault(
            "tests the heaviest first",
            "order.sort_unstable_by_key(|&port| key(port));",
            "order.sort_unstable_by_key(|&port| core::cmp::Reverse(key(port)));",
            "exactly-one-leader",
            "the lightest of reports is not the lightest link",
        ),
        fault(
            "keeps its name",
            "(self.level, self.name) = (level, name);",
            "self.level = level;",
            "at-most-one-leader",
            "a link inside a fragment is taken for an outgoing one",
        ),
        fault(
            "merges without a level",
            "self.level.saturating_add(1)",
            "self.level",
            "possible-messages",
            "an initiate comes from a fragment of no higher level",
        ),
        fault(
            "ends with its own half",
            "} else if weight == Weight::INFINITY && self.best_weight == weight {",
            "} else if self.best_weight == Weight::INFINITY {",
            "silent-ending",
            "the other half has an outgoing link",
        ),
    ],
};

pub(super) const KORACH_KUTTEN_MORAN: Suite = Suite {
    algorithm: "korach-kutten-moran",
    file: "graph/korach_kutten_moran.rs",
    process: "Announced<KorachKuttenMoran>",
    faults: &[
        fault(
            "never chases",
            "Some(last) if !annexing || q > self.cat => {",
            "Some(last) if !annexing => {",
            "exactly-one-leader",
            "two tokens wait, each where the other has been",
        ),
        fault(
            "both chase",
            "Some(last) if !annexing || q > self.cat => {",
            "Some(last) if true => {",
            "exactly-one-leader",
            "two tokens chase each other, and both end where a trail has been lost",
        ),
        fault(
            "waits on",
            "(self.lev, self.cat, self.wait) = (level, by, false);",
            "(self.lev, self.cat) = (level, by);",
            "possible-messages",
            "a token that has died counts again",
        ),
        fault(
            "stays at its level",
            "self.lev.saturating_add(1)",
            "self.lev.max(0)",
            "exactly-one-leader",
            "tokens of one level are sent out again and again",
        ),
        only_invariant(
            "the lower waits",
            "} else if l == self.lev && self.wait {",
            "} else if self.wait {",
            "halving",
            "a token of a lower level counts as an equal",
        ),
        fault(
            "traverses on",
            "self.traversal = DepthFirst::new(degree);",
            "",
            "possible-messages",
            "a token finds ports used by an earlier one",
        ),
        fault(
            "leads at a meeting",
            "} else if l == self.lev && self.wait {\n            self.start(net);",
            "} else if l == self.lev && self.wait {\n            self.leads = true;",
            "possible-messages",
            "two tokens that meet are not all there are",
        ),
        fault(
            "trail kept",
            "                    self.last = None;\n",
            "",
            "message-bound",
            "several chase one token, and each takes the whole trail",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const YO_YO: Suite = Suite {
    algorithm: "yo-yo",
    file: "graph/yo_yo.rs",
    process: "Announced<YoYo>",
    faults: &[
        sampled(fault(
            "no is not passed on",
            "let yes = self.yes && value == smallest;",
            "let yes = value == smallest;",
            "message-bound",
            "a source that has lost far down does not learn it",
        )),
        fault(
            "useless links kept",
            "let useless =\n            beyond == 0",
            "let useless =\n            beyond > self.links.len() as u32",
            "termination",
            "one source is left, and asks again and again",
        ),
        fault(
            "link not turned above",
            "(false, true) => Out,\n                    (false, false) => In,",
            "(false, _) => Out,",
            "possible-messages",
            "both ends take the link for one that leads out",
        ),
        fault(
            "link not turned below",
            "(false, false) => Out,",
            "(false, false) => In,",
            "exactly-one-leader",
            "both ends wait for a value",
        ),
        fault(
            "prunes a no",
            "let prune = useless || before == Some(value);",
            "let prune = useless || before == Some(value) || !yes;",
            "at-most-one-leader",
            "the network falls into two",
        ),
        fault(
            "passes the largest on",
            "heard.map(|link| link.value).min().unwrap_or(self.id)",
            "heard.map(|link| link.value).max().unwrap_or(self.id)",
            "winner-by-rule",
            "the smallest source loses",
        ),
        sampled(fault(
            "next value taken for this one",
            "let side = if self.phase == Up { Early } else { Heard };",
            "let side = Heard;",
            "exactly-one-leader",
            "a value of the next iteration is voted on in this one",
        )),
        fault(
            "points to the smaller",
            "Less => In,\n                    core::cmp::Ordering::Greater => Out,",
            "Less => Out,\n                    core::cmp::Ordering::Greater => In,",
            "winner-by-rule",
            "the smallest is a sink, and the smallest of those that are larger than their neighbours wins",
        ),
        ANNOUNCES_ANOTHER,
    ],
};
