use super::*;
use crate::ensemble::Silent;

fn sweep(parameter: Parameter, threads: usize) -> Sweep {
    Sweep::run(parameter, 20, 1, threads, &Silent, &AtomicBool::new(false))
}

/// Compares the exact curves with known rates, and with trials.
#[test]
fn the_minimum_of_interactions_repairs_small_populations() {
    let sweep = sweep(Parameter::Minimum, 2);
    assert!(sweep.is_finished());
    assert_eq!(sweep.successes.len(), 5 * 7 * 21);
    let of = |rule, agents, min_interactions| {
        let found = sweep.successes.iter().find(|success| {
            (success.rule, success.agents, success.min_interactions)
                == (rule, agents, min_interactions)
        });
        found.and_then(|success| success.exact).unwrap()
    };
    assert!((of(DeclarationRule::Text, 1000, 0) - 0.994_580).abs() < 1e-6);
    assert!((of(DeclarationRule::Text, 1000, 25) - 0.999_912).abs() < 1e-6);
    for agents in [10, 100, 1000] {
        let curve: Vec<f64> = (0..=20).map(|k| of(DeclarationRule::Text, agents, 5 * k)).collect();
        assert!(curve.is_sorted() && curve[20] > 0.999_999, "{agents}: {curve:?}");
    }
    for success in &sweep.successes {
        if let Some(exact) = success.exact {
            let error = (exact * (1.0 - exact) / 20.0).sqrt();
            // Six standard errors, and the discreteness of twenty trials.
            assert!((success.measured.rate - exact).abs() < 6.0 * error + 0.06, "{success:?}");
        }
    }
    assert_eq!(sweep.csv().lines().count(), 1 + sweep.successes.len());
    assert!(sweep.to_string().contains("99.991 %"));
}

/// A larger margin is never worse, and the equality test is the rule `at-least` with margin 1.
#[test]
fn margins_are_compared_by_rule() {
    let interrupted = AtomicBool::new(false);
    let exact = |rule, margin: &str| {
        let protocol =
            SelfTerminating { margin: margin.parse().unwrap(), rule, min_interactions: 0 };
        Success::of(protocol, 100, 10, 1, &interrupted).unwrap().exact.unwrap()
    };
    for rule in [DeclarationRule::Text, DeclarationRule::AtLeast, DeclarationRule::Difference] {
        let curve = ["0.5", "1", "2.5", "4", "16"].map(|margin| exact(rule, margin));
        assert!(curve.is_sorted(), "{rule:?}: {curve:?}");
    }
    assert_eq!(exact(DeclarationRule::Equal, "1"), exact(DeclarationRule::AtLeast, "1"));
    assert!(exact(DeclarationRule::Equal, "1") < exact(DeclarationRule::Text, "1"));
    assert_eq!(Parameter::Margin.protocols().len(), 4 * 10 + 1);
}

#[test]
fn an_interrupted_sweep_keeps_what_was_finished() {
    let none = Sweep::run(Parameter::Minimum, 20, 1, 2, &Silent, &AtomicBool::new(true));
    assert!(none.successes.is_empty() && !none.is_finished());
    assert!(none.to_string().contains("seed 1"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    assert_eq!(sweep(Parameter::Minimum, 1), sweep(Parameter::Minimum, 3));
}
