//! A command as it is compared: what kind of work, by which tool, on what; and what the readers of tools share.

use super::Kind;
use super::scope::scope;

/// A command read with the knowledge of its tool.
pub(super) struct Call {
    pub kind: Kind,
    /// One name for tools that do the same job.
    pub tool: String,
    /// Arguments that say what it works on, in order.
    pub scope: Vec<String>,
    /// A directory given as an option (`make -C`, `npm --prefix`).
    pub dir: Option<String>,
}

/// A call whose arguments all count as they are written.
pub(super) fn plain(kind: Kind, tool: &str, args: &[&str]) -> Call {
    Call {
        kind,
        tool: tool.to_owned(),
        scope: args.iter().map(|a| (*a).to_owned()).collect(),
        dir: None,
    }
}

/// A call whose arguments count only where they narrow it to a part.
pub(super) fn checked(kind: Kind, tool: &str, args: &[&str]) -> Call {
    Call {
        kind,
        tool: tool.to_owned(),
        scope: scope(args),
        dir: None,
    }
}

/// The first argument (`""` without any) and those behind it.
pub(super) fn split_first<'a, 'b>(args: &'b [&'a str]) -> (&'a str, &'b [&'a str]) {
    args.split_first().map_or(("", &[]), |(a, rest)| (*a, rest))
}

/// The subcommand behind the global options, of which `valued` take the next word, and what follows it.
pub(super) fn subcommand<'a, 'b>(args: &'b [&'a str], valued: &[&str]) -> (&'a str, &'b [&'a str]) {
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        if !arg.starts_with('-') {
            return (arg, args.get(i + 1..).unwrap_or_default());
        }
        i += if valued.contains(arg) { 2 } else { 1 };
    }
    ("", &[])
}

/// Takes an option with its value (`-C DIR`, `--prefix=DIR`) out of the arguments; `names` are its spellings.
pub(super) fn directory<'a>(args: &[&'a str], names: &[&str]) -> (Option<String>, Vec<&'a str>) {
    let (mut dir, mut out) = (None, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if names.contains(arg) {
            dir = rest.next().map(|d| (*d).to_owned());
        } else if let Some((name, value)) = arg.split_once('=')
            && names.contains(&name)
        {
            dir = Some(value.to_owned());
        } else {
            out.push(*arg);
        }
    }
    (dir, out)
}
