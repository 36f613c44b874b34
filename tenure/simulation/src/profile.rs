//! The delays of messages.

use super::{Invalid, Nanos};
use std::{fmt, str::FromStr};
use suffrage_numbers::random::Key;

/// The distribution of the delay of a message, one way, without faults.
///
/// The log-normal ones are cut off at the quantiles 10^-6 and 1 - 10^-6, so that there is a longest
/// delay: [`longest`](Self::longest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A constant delay.
    Fixed(Nanos),
    /// A uniform distribution between these two, both included.
    Uniform(Nanos, Nanos),
    /// A log-normal distribution.
    LogNormal {
        /// The median: half of the messages are faster.
        median: Nanos,
        /// The standard deviation of the logarithm, in percent.
        spread: u32,
    },
    /// Measured round trips between regions.
    Regions(Regions),
}

/// Measured round trips between regions. Participant `i` is in region `i` modulo their number, and a
/// message takes half a round trip, times a log-normal factor of median 1 and spread 10 %.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    pub(crate) names: Vec<String>,
    /// The round trips, row by row, in nanoseconds.
    pub(crate) round_trips: Vec<u64>,
}

impl Profile {
    /// The profile within a data centre: log-normal around 100 microseconds, spread 50 %.
    pub const LAN: Self = Self::LogNormal { median: Nanos(100_000), spread: 50 };
    /// The profile between data centres of a continent: log-normal around 20 milliseconds, spread
    /// 20 %.
    pub const WAN: Self = Self::LogNormal { median: Nanos(20_000_000), spread: 20 };

    /// Returns the longest delay.
    #[must_use]
    pub fn longest(&self) -> Nanos {
        match self {
            Self::Fixed(delay) | Self::Uniform(_, delay) => *delay,
            Self::LogNormal { median, spread } => {
                Nanos(scaled(median.0, quantile(STEPS as u32, *spread)))
            }
            Self::Regions(regions) => {
                let longest = regions.round_trips.iter().max().copied().unwrap_or(0) / 2;
                Nanos(scaled(longest, quantile(STEPS as u32, REGION_SPREAD)))
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let wrong = |why: &str| Err(Invalid::new(format!("profile {self}: {why}")));
        match self {
            Self::Uniform(least, most) if least > most => {
                wrong("the shortest delay is longer than the longest")
            }
            Self::LogNormal { spread: 301.., .. } => wrong("the spread is at most 300 %"),
            _ if self.longest().0 > 3_600_000_000_000 => {
                wrong("messages travel for an hour at most")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(delay) => write!(f, "fixed:{delay}"),
            Self::Uniform(least, most) => write!(f, "uniform:{least}..{most}"),
            profile if *profile == Self::LAN => f.write_str("lan"),
            profile if *profile == Self::WAN => f.write_str("wan"),
            Self::LogNormal { median, spread } => write!(f, "log-normal:{median}:{spread}%"),
            Self::Regions(regions) => write!(f, "regions:{}", regions.names.join(",")),
        }
    }
}

impl FromStr for Profile {
    type Err = Invalid;

    /// Reads what [`Display`](fmt::Display) writes, except for regions, which are read from a file's
    /// text by [`Regions::from_str`].
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let wrong = || {
            Invalid::new(format!(
                "{text:?} is no delay profile; write lan, wan, fixed:1ms, uniform:1ms..5ms or \
                 log-normal:1ms:30%"
            ))
        };
        let nanos = |text: &str| text.parse::<Nanos>().map_err(Invalid::new);
        let profile = match text.split_once(':') {
            None if text == "lan" => Self::LAN,
            None if text == "wan" => Self::WAN,
            Some(("fixed", delay)) => Self::Fixed(nanos(delay)?),
            Some(("uniform", range)) => {
                let (least, most) = range.split_once("..").ok_or_else(wrong)?;
                Self::Uniform(nanos(least)?, nanos(most)?)
            }
            Some(("log-normal", rest)) => {
                let (median, spread) = rest.split_once(':').ok_or_else(wrong)?;
                let spread = spread.strip_suffix('%').and_then(|percent| percent.parse().ok());
                Self::LogNormal { median: nanos(median)?, spread: spread.ok_or_else(wrong)? }
            }
            _ => return Err(wrong()),
        };
        profile.check()?;
        Ok(profile)
    }
}

impl FromStr for Regions {
    type Err = Invalid;

    /// Reads a table of round trips in milliseconds, its cells separated by commas or white space.
    /// The first line has the names of the regions, each further line the name of one and its round
    /// trips to all of them in the same order. Empty lines and lines that begin with `#` are
    /// skipped.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let cells = |line: &str| -> Vec<String> {
            let cells = line.split(|c: char| c == ',' || c.is_whitespace());
            cells.filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
        };
        let wrong = |at: usize, why: String| Err(Invalid::new(format!("line {at}: {why}")));
        let Some((at, first)) = lines.next() else {
            return wrong(1, "there is no line of names of regions".to_owned());
        };
        let names = cells(first);
        if names.len() > 1000 {
            return wrong(at, format!("{} regions are too many, 1000 at most", names.len()));
        }
        let mut round_trips = Vec::with_capacity(names.len() * names.len());
        let mut rows = 0;
        for (at, line) in lines {
            let row = cells(line);
            let Some(name) = names.get(rows) else {
                return wrong(at, format!("there are {} regions but more rows", names.len()));
            };
            if row.first() != Some(name) {
                return wrong(at, format!("row {} has to begin with {name}", rows + 1));
            }
            if row.len() != names.len() + 1 {
                return wrong(
                    at,
                    format!("{name} has {} round trips, not {}", row.len() - 1, names.len()),
                );
            }
            for cell in &row[1..] {
                match format!("{cell}ms").parse::<Nanos>() {
                    Ok(nanos) => round_trips.push(nanos.0),
                    Err(_) => return wrong(at, format!("{cell:?} is no number of milliseconds")),
                }
            }
            rows += 1;
        }
        if rows < names.len() {
            return wrong(text.lines().count(), format!("there is no row for {}", names[rows]));
        }
        Ok(Self { names, round_trips })
    }
}

/// The spread of round trips within a pair of regions, in percent.
const REGION_SPREAD: u32 = 10;

/// The number of steps between quantiles in a table.
const STEPS: usize = 4096;

/// Returns the quantile `i / STEPS` of the log-normal distribution of median 1, in units of 2^-32;
/// the first and the last are 10^-6 and 1 - 10^-6.
fn quantile(i: u32, spread: u32) -> u64 {
    let p = (f64::from(i) / STEPS as f64).clamp(1e-6, 1.0 - 1e-6);
    let factor = libm::exp(f64::from(spread) / 100.0 * normal_quantile(p));
    (factor * 4_294_967_296.0) as u64
}

fn scaled(nanos: u64, factor: u64) -> u64 {
    u64::try_from((u128::from(nanos) * u128::from(factor)) >> 32).unwrap_or(u64::MAX)
}

/// Returns a quantile of the standard normal distribution: P. Acklam's rational approximation,
/// relative error below 1.2e-9. The same on every machine, since `libm` is.
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let horner = |of: &[f64], x: f64| of.iter().fold(0.0, |sum, c| sum * x + c);
    if p < 0.02425 {
        let q = libm::sqrt(-2.0 * libm::log(p));
        horner(&C, q) / horner(&D, q)
    } else if p > 1.0 - 0.02425 {
        -normal_quantile(1.0 - p)
    } else {
        let q = p - 0.5;
        let r = q * q;
        horner(&A, r) * q / horner(&B, r)
    }
}

/// A [`Profile`] prepared for drawing: whole numbers only.
pub(crate) enum DelaySampler {
    Fixed(u64),
    Uniform {
        least: u64,
        span: u64,
    },
    /// A table of quantiles.
    Table(Box<[u64]>),
    /// A table of quantiles of the factor, and the median of every pair of regions.
    Regions {
        factors: Box<[u64]>,
        medians: Box<[u64]>,
        regions: u32,
    },
}

impl DelaySampler {
    pub(crate) fn new(profile: &Profile) -> Self {
        let factors =
            |spread| (0..=STEPS as u32).map(move |i| quantile(i, spread)).collect::<Box<[u64]>>();
        match profile {
            Profile::Fixed(delay) => Self::Fixed(delay.0),
            Profile::Uniform(least, most) => {
                Self::Uniform { least: least.0, span: most.0 - least.0 + 1 }
            }
            Profile::LogNormal { median, spread } => {
                Self::Table(factors(*spread).iter().map(|&f| scaled(median.0, f)).collect())
            }
            Profile::Regions(regions) => Self::Regions {
                factors: factors(REGION_SPREAD),
                medians: regions.round_trips.iter().map(|trip| trip / 2).collect(),
                regions: regions.names.len() as u32,
            },
        }
    }

    /// Draws a delay from one participant to another.
    #[inline]
    pub(crate) fn draw(&self, from: u32, to: u32, random: Key) -> u64 {
        match self {
            Self::Fixed(delay) => *delay,
            Self::Uniform { least, span } => least + random.below(*span),
            Self::Table(table) => interpolated(table, random),
            Self::Regions { factors, medians, regions } => {
                let pair = (from % regions) * regions + to % regions;
                scaled(medians[pair as usize], interpolated(factors, random))
            }
        }
    }
}

/// Interpolates in a table: the upper 12 bits choose two neighbouring quantiles, the next 20 a
/// place between them.
#[inline]
fn interpolated(table: &[u64], random: Key) -> u64 {
    let bits = random.bits();
    let step = (bits >> 52) as usize;
    let between = (bits >> 32) & 0xF_FFFF;
    let (low, high) = (table[step], table[step + 1]);
    low + ((u128::from(high - low) * u128::from(between)) >> 20) as u64
}

#[cfg(test)]
mod tests;
