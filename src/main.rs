//! The `compact` binary: everything is in the library, so that tests can reach it.

fn main() -> std::process::ExitCode {
    compact::cli::main()
}
