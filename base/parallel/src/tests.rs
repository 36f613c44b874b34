use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

static NEVER: AtomicBool = AtomicBool::new(false);

fn jobs(count: u64, threads: usize) -> Jobs<'static> {
    Jobs { count, threads, interrupted: &NEVER }
}

fn work(number: u64) -> u64 {
    (0..(50 - number.min(50)) * 1000).fold(number, |sum, i| sum ^ i.wrapping_mul(sum))
}

#[test]
fn results_are_in_order_for_any_number_of_threads() {
    let run =
        |threads| jobs(50, threads).map(|| (), |(), number| Some((number, work(number))), |_| {});
    let one = run(1);
    assert!(one.iter().map(|&(number, _)| number).eq(0..50));
    for threads in [2, 3, 8, 1000] {
        assert_eq!(run(threads), one);
    }
    assert_eq!(jobs(0, 4).map(|| (), |(), number| Some(number), |_| {}), []);
}

#[test]
fn progress_counts_every_job() {
    let mut seen = Vec::new();
    jobs(20, 3).map(|| (), |(), number| Some(number), |finished| seen.push(finished));
    assert!(seen.into_iter().eq(1..=20));
}

#[test]
fn the_error_of_the_lowest_number_is_returned() {
    for threads in [1, 4] {
        let job = |(): &mut (), number| if number < 10 { Ok(Some(number)) } else { Err(number) };
        assert_eq!(jobs(1000, threads).try_map(|| (), job, |_| {}), Err(10));
    }
}

#[test]
fn an_interrupted_job_ends_the_results() {
    let job = |(): &mut (), number| (number != 7).then_some(number);
    assert!(jobs(20, 4).map(|| (), job, |_| {}).into_iter().eq(0..7));
}

#[test]
fn an_interrupted_map_is_a_shorter_one() {
    for threads in [1, 2, 5] {
        let interrupted = AtomicBool::new(false);
        let jobs = Jobs { count: u64::MAX, threads, interrupted: &interrupted };
        let stop = |finished| {
            if finished >= 40 {
                interrupted.store(true, Relaxed);
            }
        };
        let some = jobs.map(|| (), |(), number| Some(work(number)), stop);
        assert!(some.len() >= 40 - threads, "{}", some.len());
        assert!(some.iter().copied().eq((0..some.len() as u64).map(work)));
    }
}

#[test]
fn a_gatherer_may_stop_jobs_that_have_not_finished() {
    let taken = AtomicU64::new(0);
    let worker = || {
        |stop: &AtomicBool| {
            let number = taken.fetch_add(1, Relaxed);
            while number > 0 && !stop.load(Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            (number < 100).then_some((number, number))
        }
    };
    let mut ticks = 0;
    ordered(2, worker, |event: JobEvent<u64>| {
        ticks += u32::from(event == JobEvent::Tick);
        if ticks == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(ticks, 2);
}

#[test]
fn a_panic_of_a_job_is_passed_on_with_its_message() {
    let job = |(): &mut (), number| {
        assert!(number != 3, "job {number} is broken");
        Some(number)
    };
    // The other thread stops: this number of jobs would never end.
    let run = AssertUnwindSafe(|| jobs(u64::MAX, 2).map(|| (), job, |_| {}));
    let panic = catch_unwind(run).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("job 3 is broken"));
}
