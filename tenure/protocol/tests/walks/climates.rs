//! What walks may meet.

/// What a walk may meet, in numbers that weigh against each other, and how often at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    pub(crate) members: u32,
    pub(crate) clients: u32,
    pub(crate) offices: u64,
    pub(crate) stop: u32,
    /// Whether all come up with empty records for which no member vouches.
    pub(crate) founding: bool,
    pub(crate) crashes: usize,
    /// How often a process crashes and how often it comes up again, of 1000 steps.
    pub(crate) restlessness: usize,
    pub(crate) lost_records: usize,
    /// Percent of the messages that are taken from the net.
    pub(crate) loss: usize,
    pub(crate) duplication: usize,
    /// Percent of the messages taken that are not the oldest of their link.
    pub(crate) overtaking: usize,
    /// How often alarms ring, of 100 steps.
    pub(crate) alarms: usize,
    pub(crate) commands: usize,
    /// How often an operator asks for other members, of 1000 steps, and the least number of them.
    pub(crate) changes: (usize, u32),
    /// Percent of these wishes that are for another roster.
    pub(crate) rosters: usize,
}

const BASE: Weather = Weather {
    members: 3,
    clients: 0,
    offices: 1,
    stop: 0,
    founding: false,
    crashes: 3,
    restlessness: 5,
    lost_records: 1,
    loss: 0,
    duplication: 0,
    overtaking: 0,
    alarms: 0,
    commands: 4,
    changes: (0, 1),
    rosters: 0,
};

const NEW: Weather = Weather { founding: true, lost_records: 0, ..BASE };

/// What to walk through.
pub(crate) const CLIMATES: &[(&str, Weather)] = &[
    ("three members", BASE),
    ("two offices, two clients", Weather { offices: 2, clients: 2, ..BASE }),
    ("work that stops late", Weather { stop: 100, ..BASE }),
    ("a new cluster", NEW),
    ("a new cluster of five", Weather { members: 5, crashes: 5, restlessness: 20, ..NEW }),
    ("one member", Weather { members: 1, lost_records: 0, ..BASE }),
    ("restarts", Weather { crashes: 40, restlessness: 40, lost_records: 0, ..BASE }),
    ("many candidates", Weather { clients: 3, crashes: 1, commands: 10, ..BASE }),
    ("two members", Weather { members: 2, clients: 1, ..BASE }),
    ("four members", Weather { members: 4, crashes: 5, ..BASE }),
    ("five members", Weather { members: 5, crashes: 5, lost_records: 2, ..BASE }),
    ("restless clients", Weather { members: 1, clients: 2, crashes: 0, commands: 40, ..BASE }),
    ("clients that come and go", Weather { clients: 2, crashes: 0, commands: 30, ..BASE }),
];

/// What to walk through where members change: any of those that take part may become one.
pub(crate) const CHANGES: &[(&str, Weather)] = &{
    const FEW: Weather = Weather { lost_records: 0, changes: (10, 1), ..BASE };
    const MANY: Weather = Weather { clients: 2, changes: (10, 3), ..BASE };
    [
        ("one member of three", Weather { members: 1, clients: 2, ..FEW }),
        ("two members and two others", Weather { members: 2, clients: 2, ..FEW }),
        ("three members and one", Weather { clients: 1, ..FEW }),
        ("three members and three", Weather { clients: 3, ..FEW }),
        ("a lost record", MANY),
        ("two lost records", Weather { members: 5, lost_records: 2, changes: (10, 5), ..MANY }),
        ("without crashes", Weather { crashes: 0, ..MANY }),
        ("restless members", Weather { crashes: 40, restlessness: 40, lost_records: 0, ..MANY }),
        ("changes without end", Weather { crashes: 1, changes: (30, 3), ..MANY }),
        ("work that stops late, and changes", Weather { stop: 100, ..MANY }),
        ("two offices, and changes", Weather { offices: 2, ..MANY }),
        ("members and rosters", Weather { rosters: 40, changes: (20, 3), ..MANY }),
    ]
};
