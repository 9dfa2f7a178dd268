//! Which files a patch names: the `*** Begin Patch` grammar, unified diffs, and the list that a
//! patch tool prints when it succeeded. Text only; nothing is applied, and hunks are not kept.

mod begin;
mod unified;

/// What a patch does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// The file is new.
    Add,
    /// The file is changed (and perhaps moved).
    Update,
    /// The file goes away.
    Delete,
}

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchFile {
    /// What is done.
    pub op: Op,
    /// The file, as written (relative to the directory of the call).
    pub path: String,
    /// Its new path, if it is moved.
    pub moved_to: Option<String>,
}

/// The files of a patch in their order. Reads the `*** Begin Patch` grammar leniently (line ends
/// of any kind, no end mark, text around it) and unified diffs; anything else has none.
pub fn files(text: &str) -> Vec<PatchFile> {
    if begin::is(text) {
        return begin::files(text);
    }
    unified::files(text)
}

/// The files listed under `Success. Updated the following files:`; a move is listed by its new path.
pub fn updated(text: &str) -> Vec<PatchFile> {
    let mut out = Vec::new();
    let mut lines = text.lines();
    if !lines
        .by_ref()
        .any(|l| l.trim() == "Success. Updated the following files:")
    {
        return out;
    }
    for line in lines {
        let Some((mark, path)) = line.trim_end().split_once(' ') else {
            break;
        };
        let op = match mark {
            "A" => Op::Add,
            "M" => Op::Update,
            "D" => Op::Delete,
            _ => break,
        };
        out.push(PatchFile {
            op,
            path: path.to_owned(),
            moved_to: None,
        });
    }
    out
}

#[cfg(test)]
mod tests;
