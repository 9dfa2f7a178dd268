//! The `compact` binary: parse the arguments, call one job, turn its answer into an exit status.
fn main() {}
