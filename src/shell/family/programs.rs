//! Programs by what they are good for in a line of commands: those that only prepare, shape or look.

/// Programs that only prepare or talk.
const PREPARATION: &[&str] = &[
    "cd", "pushd", "popd", "set", "export", "unset", "echo", "printf", "true", ":", "false",
    "sleep", "source", ".", "test", "[", "[[", "exit", "wait", "shopt", "umask", "pwd", "date",
    "trap", "ulimit", "alias", "local", "read", "return", "break", "continue", "declare", "clear",
];

/// Programs that behind a pipe only choose or shape lines, besides those that look.
const FILTERS: &[&str] = &[
    "tee", "xargs", "column", "fold", "rev", "paste", "python3", "python", "node", "perl",
];

/// Programs that look and show, and change nothing.
const LOOKERS: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "find",
    "fd",
    "ls",
    "tree",
    "cat",
    "head",
    "tail",
    "sed",
    "awk",
    "less",
    "more",
    "bat",
    "nl",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "jq",
    "yq",
    "diff",
    "cmp",
    "stat",
    "file",
    "du",
    "df",
    "ps",
    "which",
    "type",
    "pgrep",
    "lsof",
    "env",
    "printenv",
    "zgrep",
    "tac",
    "strings",
    "xxd",
    "od",
    "hexdump",
    "md5sum",
    "sha256sum",
    "shasum",
    "readlink",
    "realpath",
    "basename",
    "dirname",
    "comm",
    "id",
    "whoami",
    "uname",
    "hostname",
    "history",
    "journalctl",
    "dmesg",
    "man",
    "command",
];

/// Verbs of the PowerShell commands that look: `Get-Content`, `Select-String`.
const CMDLET_VERBS: &[&str] = &[
    "get", "select", "test", "measure", "where", "format", "compare", "resolve", "sort", "group",
    "write", "out",
];

/// Git subcommands that only look.
const GIT_LOOKERS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "branch",
    "remote",
    "rev-parse",
    "ls-files",
    "blame",
    "grep",
    "describe",
    "reflog",
    "config",
    "cat-file",
    "ls-tree",
    "rev-list",
    "shortlog",
    "show-ref",
    "merge-base",
    "check-ignore",
    "ls-remote",
    "diff-tree",
    "for-each-ref",
];

/// Tools that `yarn` and `pnpm` run by their bare name.
const JS_TOOLS: &[&str] = &[
    "vitest",
    "jest",
    "mocha",
    "ava",
    "tsc",
    "vue-tsc",
    "eslint",
    "biome",
    "prettier",
    "playwright",
    "cypress",
    "vite",
    "next",
    "webpack",
    "rollup",
    "esbuild",
    "turbo",
    "nx",
    "oxlint",
    "tsup",
    "wrangler",
    "tsx",
    "prisma",
];

/// Whether a program only prepares or talks.
pub(super) fn is_preparation(program: &str) -> bool {
    PREPARATION.contains(&program)
}

/// Whether a program behind a pipe only chooses or shapes lines.
pub(super) fn is_filter(program: &str) -> bool {
    is_search(program) || FILTERS.contains(&program)
}

/// Whether a program looks and shows, and changes nothing.
pub(super) fn is_search(program: &str) -> bool {
    cmdlet_looks(program) || LOOKERS.contains(&program)
}

fn cmdlet_looks(program: &str) -> bool {
    let verb = program.split_once('-').map_or("", |(verb, _)| verb);
    program.starts_with(char::is_uppercase)
        && CMDLET_VERBS
            .iter()
            .any(|known| verb.eq_ignore_ascii_case(known))
}

/// Whether a git subcommand only looks.
pub(in crate::shell) fn git_looks(sub: &str) -> bool {
    GIT_LOOKERS.contains(&sub)
}

/// Whether `yarn` and `pnpm` run this tool by its bare name.
pub(super) fn is_js_tool(name: &str) -> bool {
    JS_TOOLS.contains(&name)
}
