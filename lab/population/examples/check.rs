//! Explores every meeting order of small populations: `check [MARGIN]`. Prints for each rule and 2
//! to 5 agents the number of configurations, and shortest meeting orders that go wrong.

use std::env;
use suffrage_population::{
    check,
    protocols::{Agent, DeclarationRule, SelfTerminating},
};

const LIMIT: usize = 1 << 22;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let margin = env::args().nth(1).map_or(Ok(1_u32.into()), |margin| margin.parse())?;
    for rule in DeclarationRule::ALL {
        for agents in 2..=5 {
            let protocol = SelfTerminating { margin, rule, min_interactions: 0 };
            match check::election(&protocol, agents, Agent::new, LIMIT) {
                Ok(findings) => println!("{} {findings:?}", rule.name()),
                Err(error) => println!("{} n = {agents}: {error}", rule.name()),
            }
        }
    }
    Ok(())
}
