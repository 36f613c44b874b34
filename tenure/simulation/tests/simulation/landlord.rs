//! A lease protocol as small as one can be, and flawed variants of it.
//!
//! Member 0 is the landlord: it never leads, and lets the office to one tenant at a time, for a lease
//! that the tenant counts from when it asked. It is safe, and live as long as the landlord is up.

use tenure_model::{Kind, Message, *};

/// Nothing is wrong.
pub(crate) const SOUND: u8 = 0;
/// The tenant counts its lease from when the grant arrives.
pub(crate) const COUNTS_FROM_RECEIPT: u8 = 1;
/// The landlord lets again at once after a crash.
pub(crate) const NO_QUARANTINE: u8 = 2;
/// The landlord does not write down the term.
pub(crate) const FORGETS_TERM: u8 = 3;
/// The landlord does not wait for the end of the work.
pub(crate) const IGNORES_STOP: u8 = 4;
/// The landlord waits no longer than the tenant.
pub(crate) const IGNORES_CLOCKS: u8 = 5;
/// A tenant that lost the office asks no more.
pub(crate) const GIVES_UP: u8 = 6;
/// The tenant leaves when it is asked, before its work has ended.
pub(crate) const LEAVES_EARLY: u8 = 7;
/// A tenant gives the office up now and then, for no reason.
pub(crate) const FICKLE: u8 = 8;
/// The landlord names as the leader whom it lets to, before they know.
pub(crate) const NAMES_EARLY: u8 = 9;

const OFFICE: Office = Office(0);
const LANDLORD: Peer = Peer(0);
const TERM: Cell = Cell { table: 0, key: 0 };
/// Written at the first start: a record without it is none.
const FOUNDED: Cell = Cell { table: 1, key: 0 };

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Msg {
    Ask { tenancy: u64, serial: u64 },
    Let { tenancy: u64, serial: u64, term: Term },
    Leave { tenancy: u64 },
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("ask").ids(2),
        Kind::election("let").ids(3),
        Kind::election("leave").ids(1),
    ];

    fn kind(&self) -> usize {
        match self {
            Self::Ask { .. } => 0,
            Self::Let { .. } => 1,
            Self::Leave { .. } => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Alarm {
    Beat,
    Lease(u64),
    Owed,
    Quarantine,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Landlord<const FLAW: u8> {
    setting: Setting,
    /// Which incarnation asks, and after how many losses: a new one for each tenure.
    tenancy: u64,
    stands: bool,
    stopping: bool,
    serial: u64,
    /// The leases of these and earlier requests are over.
    expired: u64,
    /// The term, and the request whose lease it is.
    holds: Option<(Term, u64)>,
    quarantined: bool,
    tenant: Option<(Peer, u64, Term)>,
}

impl<const FLAW: u8> Landlord<FLAW> {
    fn owed(&self) -> u32 {
        let Setting { lease, stop, clocks, .. } = self.setting;
        match FLAW {
            IGNORES_STOP => clocks.outlasting(lease),
            IGNORES_CLOCKS => lease + stop,
            _ => clocks.outlasting(lease + stop),
        }
    }

    fn leave(&mut self, effects: &mut impl Effects<Self>) {
        if self.holds.take().is_some() {
            self.stopping = false;
            self.expired = self.serial;
            effects.changed(OFFICE);
            effects.send(LANDLORD, Msg::Leave { tenancy: self.tenancy });
            self.tenancy += 1;
        }
    }
}

impl<const FLAW: u8> Recoverable for Landlord<FLAW> {
    type Msg = Msg;
    type Alarm = Alarm;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        if start.memory == Memory::New {
            effects.write(FOUNDED, 1);
        }
        let founded = effects.read(FOUNDED).is_some();
        let quarantined = match start.memory {
            Memory::New => false,
            Memory::Kept => FLAW != NO_QUARANTINE || !founded,
            Memory::Lost => true,
        };
        let landlord = Self {
            setting,
            tenancy: start.boot << 32,
            stands: false,
            stopping: false,
            serial: 0,
            expired: 0,
            holds: None,
            quarantined,
            tenant: None,
        };
        // A landlord that has forgotten its terms never lets again.
        if start.memory == Memory::Kept && quarantined && founded {
            effects.set_alarm(Alarm::Quarantine, landlord.owed());
        }
        landlord
    }

    fn receive(&mut self, from: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        match msg {
            Msg::Ask { tenancy, serial } => {
                if self.quarantined || self.setting.me != LANDLORD {
                    return;
                }
                let term = match self.tenant {
                    Some((tenant, its, term)) if (tenant, its) == (from, tenancy) => term,
                    Some(_) => return,
                    None => {
                        let term = effects.read(TERM).unwrap_or(0) + 1;
                        if FLAW != FORGETS_TERM {
                            effects.write(TERM, term);
                        }
                        Term(term)
                    }
                };
                self.tenant = Some((from, tenancy, term));
                effects.changed(OFFICE);
                effects.set_alarm(Alarm::Owed, self.owed());
                effects.send(from, Msg::Let { tenancy, serial, term });
            }
            Msg::Let { tenancy, serial, term } => {
                let newer = self.holds.is_none_or(|(held, at)| held == term && serial > at);
                let late = FLAW != COUNTS_FROM_RECEIPT && serial <= self.expired;
                if tenancy != self.tenancy || late || !newer || !self.stands {
                    return;
                }
                if let Some((_, before)) = self.holds {
                    effects.cancel_alarm(Alarm::Lease(before));
                }
                if FLAW == COUNTS_FROM_RECEIPT {
                    effects.set_alarm(Alarm::Lease(serial), self.setting.lease);
                }
                self.holds = Some((term, serial));
                effects.changed(OFFICE);
            }
            Msg::Leave { tenancy } => {
                if self.tenant.is_some_and(|(tenant, its, _)| (tenant, its) == (from, tenancy)) {
                    self.tenant = None;
                    effects.changed(OFFICE);
                    effects.cancel_alarm(Alarm::Owed);
                }
            }
        }
    }

    fn ring(&mut self, alarm: Alarm, effects: &mut impl Effects<Self>) {
        match alarm {
            Alarm::Beat => {
                if !self.stands {
                    return;
                }
                effects.set_alarm(Alarm::Beat, self.setting.heartbeat);
                self.serial += 1;
                if FLAW == FICKLE && self.serial.is_multiple_of(64) {
                    self.leave(effects);
                    return;
                }
                if FLAW != COUNTS_FROM_RECEIPT {
                    effects.set_alarm(Alarm::Lease(self.serial), self.setting.lease);
                }
                effects.send(LANDLORD, Msg::Ask { tenancy: self.tenancy, serial: self.serial });
            }
            Alarm::Lease(serial) => {
                self.expired = self.expired.max(serial);
                if self.holds.is_some_and(|(_, at)| at == serial) {
                    self.holds = None;
                    self.tenancy += 1;
                    self.stopping = false;
                    effects.changed(OFFICE);
                    if FLAW == GIVES_UP {
                        self.stands = false;
                    }
                }
            }
            Alarm::Owed => {
                self.tenant = None;
                effects.changed(OFFICE);
            }
            Alarm::Quarantine => self.quarantined = false,
        }
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        if self.setting.me == LANDLORD {
            return;
        }
        match command {
            Command::Stand { office: OFFICE, .. } if !self.stands => {
                self.stands = true;
                self.ring(Alarm::Beat, effects);
            }
            Command::Resign { office: OFFICE } => {
                self.stands = false;
                effects.cancel_alarm(Alarm::Beat);
                self.stopping = self.holds.is_some();
                effects.changed(OFFICE);
                if FLAW == LEAVES_EARLY {
                    self.leave(effects);
                }
            }
            Command::Transfer { office: OFFICE, .. } => {
                self.stopping = self.holds.is_some();
                effects.changed(OFFICE);
            }
            Command::Stopped { office: OFFICE, term }
                if self.stopping && self.holds.is_some_and(|(held, _)| held == term) =>
            {
                self.leave(effects);
            }
            _ => {}
        }
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<Alarm>> {
        let (term, serial) = self.holds.filter(|_| office == OFFICE)?;
        Some(OfficeTenure { term, until: Some(Alarm::Lease(serial)), stopping: self.stopping })
    }

    fn leader(&self, _: Office) -> Option<(Peer, Term)> {
        if FLAW == NAMES_EARLY {
            return self.tenant.map(|(tenant, _, term)| (tenant, term));
        }
        self.holds.map(|(term, _)| (self.setting.me, term))
    }
}
