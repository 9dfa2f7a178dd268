//! The line-based grammar between `*** Begin Patch` and `*** End Patch`.

use super::{Op, PatchFile};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// Whether the text holds such a patch.
pub(super) fn is(text: &str) -> bool {
    text.lines()
        .any(|l| l.trim().trim_start_matches(['"', '\'']) == BEGIN || header(l).is_some())
}

/// A file header; an indented or prefixed one (`+*** Add File`) is text of a file.
fn header(line: &str) -> Option<(Op, &str)> {
    let rest = line.strip_prefix("*** ")?;
    let (op, path) = [
        (Op::Add, "Add File:"),
        (Op::Update, "Update File:"),
        (Op::Delete, "Delete File:"),
    ]
    .into_iter()
    .find_map(|(op, name)| Some((op, rest.strip_prefix(name)?)))?;
    let path = path.trim();
    (!path.is_empty()).then_some((op, path))
}

/// The files, in order.
pub(super) fn files(text: &str) -> Vec<PatchFile> {
    let mut out: Vec<PatchFile> = Vec::new();
    let marked = text
        .lines()
        .any(|l| l.trim().trim_start_matches(['"', '\'']) == BEGIN);
    let mut inside = !marked;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.trim_start_matches(['"', '\'']) == BEGIN {
            inside = true;
        } else if line.starts_with("***") && trimmed == END {
            inside = false;
        } else if !inside {
            continue;
        } else if let Some((op, path)) = header(line) {
            out.push(PatchFile {
                op,
                path: path.to_owned(),
                moved_to: None,
            });
        } else if let Some(to) = line.strip_prefix("*** Move to:")
            && let Some(last) = out.last_mut()
            && last.op == Op::Update
            && !to.trim().is_empty()
        {
            last.moved_to = Some(to.trim().to_owned());
        }
    }
    out
}
