//! The page on which each step is a key.

mod model;
mod screen;
#[cfg(test)]
mod tests;

use super::cluster::DemoCluster;
use super::script::{DemoStep, Whom};
use super::{failed, verdict};
use crate::error::CommandError;
use crate::print;
use crate::signals::Signals;
use model::{DemoPage, Press, press};
use screen::Screen;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};
use tracing_subscriber::filter::LevelFilter;

/// The interval between two looks at the members.
const FRAME: Duration = Duration::from_millis(40);

/// The exit code of a page that a signal has closed.
const INTERRUPTED: u8 = 130;

pub(super) async fn run(log: LevelFilter) -> Result<u8, CommandError> {
    let told = !stderr().is_terminal();
    let _log = if told { Some(crate::log::start(log)?) } else { None };
    let broken = |error: std::io::Error| failed(format!("the page: {error}"));
    let mut signals = Signals::listen()?;
    let mut cluster = DemoCluster::found(told).map_err(failed)?;
    let mut screen = Screen::open().map_err(broken)?;
    let mut page = DemoPage::default();
    let closed = show(&mut cluster, &mut page, &mut screen, &mut signals).await;
    drop(screen);
    cluster.close().await;
    let by_signal = closed?;
    let (tenures, violations) = cluster.verdict();
    print(&format!("{}\n{}", page.figures(), verdict(tenures, &violations)))?;
    Ok(if by_signal { INTERRUPTED } else { u8::from(!violations.is_empty()) })
}

/// Shows the page until it is closed, and returns whether a signal has closed it.
async fn show(
    cluster: &mut DemoCluster,
    page: &mut DemoPage,
    screen: &mut Screen,
    signals: &mut Signals,
) -> Result<bool, CommandError> {
    let broken = |error: std::io::Error| failed(format!("the page: {error}"));
    let opened = Instant::now();
    let mut keys = Screen::keys().map_err(broken)?;
    let mut events = cluster.events();
    let (refuse, mut refused) = unbounded_channel();
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    draw(page, screen, opened)?;
    begin(cluster, page, &DemoStep::Start(Whom::All), opened, &refuse);
    loop {
        tokio::select! {
            () = signals.quit() => return Ok(true),
            Some(event) = events.recv() => {
                let at = event.at.saturating_duration_since(opened);
                let host = cluster.number(&event.work.host);
                match host {
                    Some(host) if event.started => page.began(at, host, event.work.term),
                    Some(host) => page.ended(at, host, event.work.term),
                    None => {}
                }
            }
            Some(why) = refused.recv() => page.refused(opened.elapsed(), &why),
            Some(key) = keys.recv() => {
                match press(key.map_err(broken)?, page) {
                    Press::Nothing => continue,
                    Press::Quit => return Ok(false),
                    Press::Select(host) => page.selected = host,
                    Press::Explain(explains) => page.explains = explains,
                    Press::Take(step) => begin(cluster, page, &step, opened, &refuse),
                    Press::Refuse(why) => page.refused(opened.elapsed(), &why),
                }
            }
            _ = frames.tick() => {
                let looks = cluster.look().await;
                page.saw(opened.elapsed(), looks);
                page.violations = cluster.verdict().1;
            }
        }
        draw(page, screen, opened)?;
    }
}

/// Begins a step and notes it. Does not wait for its effect, which the page shows.
fn begin(
    cluster: &mut DemoCluster,
    page: &mut DemoPage,
    step: &DemoStep,
    opened: Instant,
    refuse: &UnboundedSender<String>,
) {
    match cluster.begin(step) {
        Ok(begun) => {
            page.took(begun.since.saturating_duration_since(opened), step);
            if let Some(asked) = begun.asked {
                let refuse = refuse.clone();
                tokio::spawn(async move {
                    if let Ok(Err(why)) = asked.await {
                        let _ = refuse.send(why);
                    }
                });
            }
        }
        Err(why) => page.refused(opened.elapsed(), &why),
    }
}

fn draw(page: &DemoPage, screen: &mut Screen, opened: Instant) -> Result<(), CommandError> {
    let (columns, rows) = Screen::size();
    let lines = screen::lines(page, opened.elapsed(), columns, rows);
    screen.draw(lines, (columns, rows)).map_err(|error| failed(format!("the page: {error}")))
}
