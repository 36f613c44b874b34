//! Labels that workers number together, one scenario for each step: see `files/parts/labels.rs`.
//!
//! Each has a file, and the labels of the nodes in the order of their numbers, however many workers read
//! it. A line is an entry of its own, so that two workers and more divide the file anywhere.

use crate::parts::{Folder, PLAIN, TOLD, in_parts};
use suffrage_networks::{FileOptions, parts::PartRequest};

#[track_caller]
fn numbers(name: &str, text: &str, options: FileOptions, labels: &[&str]) {
    let folder = Folder::new(&format!("labels-{name}"));
    let path = folder.file(name, text);
    for workers in 1..=6 {
        let network = in_parts(&path, options, &PartRequest::default(), workers)
            .unwrap_or_else(|error| panic!("{workers} workers: {error}"));
        let found: Vec<_> = (0..network.nodes()).map(|node| network.label(node)).collect();
        let wanted: Vec<_> = labels.iter().map(|&label| Some(label)).collect();
        assert_eq!(found, wanted, "{workers} workers");
    }
}

#[test]
fn the_first_range_that_mentions_a_label_numbers_it() {
    numbers("first", "c b\nb a\na c\nd a\nc d\n", TOLD, &["c", "b", "a", "d"]);
}

#[test]
fn a_number_has_one_owner_and_each_spelling_its_own_node() {
    numbers("spellings", "7 +7\n+7 07\n07 7\n7 8\n", TOLD, &["7", "+7", "07", "8"]);
}

#[test]
fn words_of_a_header_are_no_nodes() {
    numbers("header", "source target\n1 2\n2 3\n3 1\n", PLAIN, &["1", "2", "3"]);
}

/// The first line is a link, where the user says so.
#[test]
fn a_first_line_whose_words_occur_in_another_range_is_a_link() {
    let format = Some("edge-list,no-header".parse().expect("a format"));
    let told = FileOptions { format, ..PLAIN };
    numbers("link", "u v\n1 2\n2 3\n3 u\nv 1\n", told, &["u", "v", "1", "2", "3"]);
}

#[test]
fn a_node_alone_on_its_line_has_a_number_like_others() {
    numbers("alone", "b\na b\nc\nb c\na\n", TOLD, &["b", "a", "c"]);
}
