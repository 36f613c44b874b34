"""Is not written in Python."""

fn main() {}
