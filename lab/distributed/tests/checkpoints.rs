//! What a checkpoint is worth when something happens to its files.

use std::{fs, ops::ControlFlow, path::Path};
use suffrage_algorithms::Algorithm;
use suffrage_distributed::{
    Checkpoint, CheckpointError, Checkpoints, ElectError, Ended, Storage, Team, Terms, elect_stored,
};
use suffrage_model::Id;
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{
    Outcome, Pace,
    blocks::{Election, ElectionIds, ElectionNetwork},
};
use tempfile::TempDir;

fn lelann() -> &'static Algorithm {
    Algorithm::named("lelann").expect("in the catalogue")
}

/// An election whose messages wait for several ticks.
fn election<'a>(ring: &'a Wiring, ids: &'a [Id], seed: u64) -> Election<'a> {
    let network = ElectionNetwork::Wired(ring);
    Election { pace: Pace::Uniform(3), seed, ..Election::new(network, ElectionIds::Listed(ids)) }
}

/// Holds an election with this number of workers, which stops after this number of messages.
fn hold(
    election: &Election<'_>,
    workers: u32,
    storage: &Storage,
    most: u64,
) -> Result<Outcome, ElectError> {
    let mut go_on = |delivered| match delivered < most {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let team = Team::of_threads(workers);
    let ended = elect_stored(lelann(), election, team, storage, &mut go_on)?;
    let Ended { outcome, .. } = ended.expect("the first worker is here");
    Ok(outcome)
}

/// Stores an election in a directory every 5 ticks.
fn saving(directory: &Path, election: &Election<'_>) -> Storage {
    let terms = Terms::of(lelann(), election, 2);
    let save = Checkpoints { directory: directory.to_owned(), every: 5, terms };
    Storage { save: Some(save), resume: None }
}

/// Goes on from the checkpoint of an election with another number of workers.
fn resume(directory: &Path, election: &Election<'_>) -> Result<Outcome, ElectError> {
    let checkpoint = Checkpoint::find(directory, &Terms::of(lelann(), election, 3))?;
    let storage = Storage { save: None, resume: Some(checkpoint) };
    hold(election, 3, &storage, u64::MAX)
}

#[test]
fn a_byte_of_any_file_that_is_another_one_is_found() {
    let (ring, ids) = (Wiring::ring(12), Ids::Random.assign(12, 5));
    let election = election(&ring, &ids, 1);
    let whole = hold(&election, 1, &Storage::default(), u64::MAX).expect("possible");
    let folder = TempDir::new().expect("a directory");
    hold(&election, 2, &saving(folder.path(), &election), whole.delivered / 2).expect("possible");
    assert_eq!(resume(folder.path(), &election).expect("as it was written"), whole);
    let files = fs::read_dir(folder.path()).expect("a directory");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 3, "a list, and a part of each worker: {files:?}");
    for path in files {
        let written = fs::read(&path).expect("a file");
        for place in 0..written.len() {
            let mut changed = written.clone();
            changed[place] ^= 1 << (place % 8);
            fs::write(&path, &changed).expect("written");
            let error = resume(folder.path(), &election).expect_err("it is damaged");
            let damaged = CheckpointError::Damaged(path.display().to_string());
            assert_eq!(error.to_string(), damaged.to_string(), "byte {place}");
        }
        fs::write(&path, &written).expect("written");
    }
    assert_eq!(resume(folder.path(), &election).expect("as it was written"), whole);
}

#[test]
fn a_checkpoint_counts_until_the_next_one_is_whole_even_if_that_is_of_another_election() {
    let (ring, ids) = (Wiring::ring(12), Ids::Random.assign(12, 5));
    let (one, other) = (election(&ring, &ids, 1), election(&ring, &ids, 2));
    let whole = hold(&one, 1, &Storage::default(), u64::MAX).expect("possible");
    let folder = TempDir::new().expect("a directory");
    // Stops at the first checkpoint: the other election has its first one at the same tick.
    for most in 1.. {
        hold(&one, 2, &saving(folder.path(), &one), most).expect("possible");
        if folder.path().join("checkpoint.json").exists() {
            break;
        }
    }
    // The other one can write its parts, and not its list.
    fs::create_dir(folder.path().join("checkpoint.json.new")).expect("a directory");
    let error = hold(&other, 2, &saving(folder.path(), &other), u64::MAX);
    let error = error.expect_err("the list cannot be written").to_string();
    assert!(error.contains("checkpoint.json"), "{error}");
    assert_eq!(resume(folder.path(), &one).expect("it is still there"), whole);
    // Now it can, and removes what is not its own.
    fs::remove_dir(folder.path().join("checkpoint.json.new")).expect("it is empty");
    hold(&other, 2, &saving(folder.path(), &other), u64::MAX).expect("possible");
    let error = resume(folder.path(), &one).expect_err("it is gone").to_string();
    assert!(error.contains("--seed differs"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 3);
}
