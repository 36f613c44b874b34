use super::*;
use crate::ensemble::Silent;

fn figure(trials: u64, threads: usize) -> FigureOne {
    FigureOne::run(trials, 1, threads, &Silent, &AtomicBool::new(false)).unwrap()
}

#[test]
fn the_experiment_is_the_papers() {
    let one = figure(2, 2);
    assert_eq!(one, figure(2, 1), "whatever the number of threads");
    let figure = one;
    assert_eq!(figure.points.len(), 2 * 91);
    assert_eq!((figure.points[0].agents, figure.points[181].agents), (1000, 10_000));
    assert_eq!(figure.rates.len(), 6 * 3);
    // Sizes below 3335: 1000 to 3300.
    assert_eq!(figure.rates[0].first_ok.trials, 2 * 24);
    assert!(
        figure
            .rates
            .iter()
            .all(|rates| rates.rule != DeclarationRule::Text || rates.first_ok.rate > 0.9)
    );
    assert!(figure.rates[0].first_ok.rate < 0.1, "as printed");
    let (n, completion, declaration) = (5000.0, figure.completion, figure.declaration);
    assert!((completion.at(n) / (n * (n.ln() + 0.577)) - 1.0).abs() < 0.1);
    assert!((declaration.at(n) / (2.5 * n * (n.ln() + 0.777)) - 1.0).abs() < 0.1);
}

#[test]
fn an_interrupted_experiment_is_no_figure() {
    assert_eq!(FigureOne::run(2, 1, 1, &Silent, &AtomicBool::new(true)), None);
}

#[test]
fn the_data_have_a_line_for_each_trial() {
    let figure = figure(1, 2);
    let csv = figure.csv();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some(
            "agents,completed_at,declared_at,leader_declared_at,told_at,conversions,followers_met,\
             first_ok,leader_ok,final_ok"
        )
    );
    assert_eq!(lines.clone().count(), 91);
    assert!(lines.all(|line| line.split(',').count() == 10));
    assert!(figure.to_string().contains("over 99.2 %"));
}

#[test]
fn a_fit_finds_what_was_put_in() {
    let exact = Fit { log_linear: 2.5, linear: -0.75 };
    let sizes = [1000.0, 2000.0, 5000.0, 9000.0];
    let fit = Fit::of(sizes.iter().map(|&n| (n, exact.at(n)))).unwrap();
    assert!((fit.log_linear - 2.5).abs() < 1e-9 && (fit.linear + 0.75).abs() < 1e-9);
    assert_eq!(Fit::of([(1000.0, 1.0), (1000.0, 2.0)].into_iter()), None);
}
