//! What a call did to files, as far as its own result proves it: a failed, refused or pending call did nothing
//! (FORMATS 5).

use crate::json::{Json, Kind as Shape};
use crate::patch::{self, Op};
use crate::session::place::Place;
use crate::session::{Session, Step};
use crate::shell::{self, EffectKind};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Outcome, Status};

/// One thing done to one file. Names are those of [`Place::resolve`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    Read(String),
    /// New content where none or some was: whether the file is new is not known.
    Written(String),
    Created(String),
    Modified(String),
    Deleted(String),
    /// Gone with all that lay in it, whether it was a file or a folder.
    Cleared(String),
    Moved {
        from: String,
        to: String,
    },
    /// Its changes since the last commit are thrown away.
    Reverted(String),
}

impl Touch {
    /// The file's name behind it.
    pub fn into_name(self) -> String {
        match self {
            Touch::Read(name)
            | Touch::Written(name)
            | Touch::Created(name)
            | Touch::Modified(name)
            | Touch::Deleted(name)
            | Touch::Cleared(name)
            | Touch::Reverted(name) => name,
            Touch::Moved { to, .. } => to,
        }
    }
}

/// What a step did to files, in order.
pub fn touches(session: &Session, place: &Place, step: &Step<'_>) -> Vec<Touch> {
    let Some(outcome) = step.outcome else {
        return Vec::new();
    };
    let dir = session.dir_of(step.entry);
    let args = step.call.args.json();
    let tool = tools::family_of_call(step.call.tool, &args);
    let see = Seen { place, dir };
    if tool == Tool::Shell {
        // Another language: its words are not read as those of a shell.
        if step.call.name.eq_ignore_ascii_case("powershell") {
            return Vec::new();
        }
        return see.shell(&args, &step.call.args, outcome);
    }
    if !matches!(outcome.status, Status::Ok | Status::Unknown) {
        return Vec::new();
    }
    if !outcome.side.changes.is_empty() {
        return see.recorded(outcome);
    }
    match tool {
        Tool::Read => see.paths(&args).into_iter().map(Touch::Read).collect(),
        Tool::Write => see
            .paths(&args)
            .into_iter()
            .map(|path| match says_new(&outcome.text) {
                true => Touch::Created(path),
                false => Touch::Written(path),
            })
            .collect(),
        Tool::Edit => {
            let mut touched: Vec<Touch> = see
                .paths(&args)
                .into_iter()
                .map(|path| match says_new(&outcome.text) {
                    true => Touch::Created(path),
                    false => Touch::Modified(path),
                })
                .collect();
            if touched.is_empty() {
                touched = see.patch(&step.call.args, &outcome.text);
            }
            touched
        }
        Tool::Delete => see.paths(&args).into_iter().map(Touch::Deleted).collect(),
        Tool::Patch => see.patch(&step.call.args, &outcome.text),
        _ => Vec::new(),
    }
}

/// Whether a write's result says that the file did not exist before.
fn says_new(text: &str) -> bool {
    let head: String = text.chars().take(200).collect::<String>().to_lowercase();
    // A word inside the path must not decide.
    let words = head.split(['/', '\\']).next().unwrap_or_default();
    (words.contains("created") && !words.contains("not created"))
        || head.contains("new file")
        || words.contains("file created")
}

struct Seen<'p> {
    place: &'p Place,
    dir: Option<&'p str>,
}

impl Seen<'_> {
    fn name(&self, path: &str) -> String {
        self.place.resolve(path, self.dir)
    }

    /// The files named by the call itself, by its list of edits, or by a list of paths; each once.
    fn paths(&self, args: &Json<'_>) -> Vec<String> {
        let mut out: Vec<String> = tools::path(args).iter().map(|p| self.name(p)).collect();
        let mut add = |name: String| {
            if !out.contains(&name) {
                out.push(name);
            }
        };
        for list in args
            .pick(["edits", "files", "paths", "file_paths"])
            .into_iter()
            .flatten()
        {
            for item in list.items() {
                match item.kind() {
                    Shape::String => item.str().iter().for_each(|p| add(self.name(p))),
                    Shape::Object => tools::path(&item).iter().for_each(|p| add(self.name(p))),
                    _ => {}
                }
            }
        }
        out.retain(|p| !p.is_empty());
        out
    }

    /// The files of a patch: its own lines, or else the list that its result prints.
    fn patch(&self, args: &Args<'_>, result: &str) -> Vec<Touch> {
        let mut files = match args {
            Args::Raw(text) => patch::files(text),
            Args::Json(_) => args
                .json()
                .fields()
                .filter_map(|(_, value)| value.str().map(|text| patch::files(&text)))
                .find(|files| !files.is_empty())
                .unwrap_or_default(),
        };
        if files.is_empty() {
            files = patch::updated(result);
        }
        files
            .into_iter()
            .map(|file| match (file.op, file.moved_to) {
                (Op::Add, _) => Touch::Created(self.name(&file.path)),
                (Op::Delete, _) => Touch::Deleted(self.name(&file.path)),
                (Op::Update, None) => Touch::Modified(self.name(&file.path)),
                (Op::Update, Some(to)) => Touch::Moved {
                    from: self.name(&file.path),
                    to: self.name(&to),
                },
            })
            .collect()
    }

    /// The changes that the host itself recorded.
    fn recorded(&self, outcome: &Outcome<'_>) -> Vec<Touch> {
        let changes = outcome.side.changes.iter();
        changes
            .map(|change| {
                let path = self.name(&change.path);
                match (change.op, &change.to) {
                    ('A', _) => Touch::Created(path),
                    ('D', _) => Touch::Deleted(path),
                    (_, Some(to)) if self.name(to) != path => Touch::Moved {
                        from: path,
                        to: self.name(to),
                    },
                    _ => Touch::Modified(path),
                }
            })
            .collect()
    }

    /// A script or log that a command puts into a folder for temporary files is scratch, not work.
    fn scratch(&self, effect: &shell::FileEffect) -> bool {
        let path = self.name(&effect.path);
        let temporary = ["/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/"];
        matches!(
            effect.kind,
            EffectKind::Create | EffectKind::Add | EffectKind::Modify
        ) && temporary.iter().any(|t| path.starts_with(t))
            && !self.place.inside(&path)
    }

    fn shell(&self, args: &Json<'_>, raw: &Args<'_>, outcome: &Outcome<'_>) -> Vec<Touch> {
        let done = matches!(outcome.status, Status::Ok | Status::Unknown)
            && outcome.exit.unwrap_or(0) == 0;
        if !done {
            return Vec::new();
        }
        let text = match raw {
            Args::Raw(text) => text.clone(),
            Args::Json(_) => tools::command(args).unwrap_or_default(),
        };
        let dir = workdir(args);
        let inner = dir.map(|d| self.name(&d));
        let see = Seen {
            place: self.place,
            dir: inner.as_deref().or(self.dir),
        };
        let mut out: Vec<Touch> = shell::effects(&shell::parse(&text))
            .into_iter()
            .filter(|e| e.certain && !internal(&e.path) && !self.scratch(e))
            .map(|effect| {
                let path = see.name(&effect.path);
                match effect.kind {
                    EffectKind::Create => Touch::Written(path),
                    EffectKind::Add => Touch::Created(path),
                    EffectKind::Modify => Touch::Modified(path),
                    EffectKind::Delete => Touch::Deleted(path),
                    EffectKind::Clear => Touch::Cleared(path),
                    EffectKind::Move { from } => Touch::Moved {
                        from: see.name(&from),
                        to: path,
                    },
                    EffectKind::Read => Touch::Read(path),
                    EffectKind::Revert => Touch::Reverted(path),
                }
            })
            .collect();
        // What the host recorded of the same call knows more about what was there before.
        if !outcome.side.changes.is_empty() {
            out.retain(|t| matches!(t, Touch::Read(_)));
            out.extend(see.recorded(outcome));
        }
        out
    }
}

/// Git's own files are nobody's work.
fn internal(path: &str) -> bool {
    path.split('/').any(|part| part == ".git")
}

/// The directory a shell call names for itself.
pub fn workdir(args: &Json<'_>) -> Option<String> {
    let named = args.pick(["workdir", "working_directory", "cwd", "directory"]);
    named
        .into_iter()
        .flatten()
        .filter_map(|d| d.str())
        .find(|d| !d.trim().is_empty())
        .map(std::borrow::Cow::into_owned)
}

/// The files an edit, write or patch meant to change, whether it did or not.
pub fn meant(session: &Session, place: &Place, step: &Step<'_>) -> Vec<String> {
    let args = step.call.args.json();
    let see = Seen {
        place,
        dir: session.dir_of(step.entry),
    };
    match tools::family_of_call(step.call.tool, &args) {
        Tool::Write | Tool::Edit | Tool::Delete => see.paths(&args),
        Tool::Patch => see
            .patch(&step.call.args, "")
            .into_iter()
            .map(Touch::into_name)
            .collect(),
        _ => Vec::new(),
    }
}

/// What a shell call puts into git's index by name (`git add a.rs src/`), and where it commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Staged {
    /// Changed files, once a commit proves it.
    pub files: Vec<String>,
    /// Folders whose changed files are taken in.
    pub folders: Vec<String>,
    /// Directory of its `git commit`.
    pub dir: Option<String>,
}

/// Reads `git add` and `git commit` of a shell call.
pub fn staged(session: &Session, place: &Place, step: &Step<'_>) -> Staged {
    let mut out = Staged::default();
    let args = step.call.args.json();
    if tools::family_of_call(step.call.tool, &args) != Tool::Shell {
        return out;
    }
    let text = match &step.call.args {
        Args::Raw(text) => text.clone(),
        Args::Json(_) => tools::command(&args).unwrap_or_default(),
    };
    if !text.contains("git") || !(text.contains("add") || text.contains("commit")) {
        return out;
    }
    let base = match workdir(&args) {
        Some(own) => Some(place.resolve(&own, session.dir_of(step.entry))),
        None => session.dir_of(step.entry).map(str::to_owned),
    };
    let seen = |dir: &str| match dir {
        "" => base.clone(),
        dir => Some(place.resolve(dir, base.as_deref())),
    };
    let script = shell::parse(&text);
    out.dir = shell::git_commits(&script)
        .first()
        .and_then(|c| seen(c.dir.as_deref()?));
    for command in &script.commands {
        let adds = command.program == "git" && command.arg(0) == "add" && command.certain;
        let (true, Some(dir)) = (adds, command.dir.as_deref()) else {
            continue;
        };
        let inner = seen(dir);
        for word in command.words.iter().skip(1) {
            let bare = word.text.trim_end_matches('/');
            if !word.literal || word.text.starts_with('-') || matches!(bare, "" | "." | "..") {
                continue;
            }
            let name = bare.rsplit('/').next().unwrap_or_default();
            // Folders have no ending, most files have one.
            let file = name.trim_start_matches('.').contains('.') || name.starts_with(".e");
            let path = place.resolve(bare, inner.as_deref());
            if file && bare == word.text {
                out.files.push(path);
            } else {
                out.folders.push(path);
            }
        }
    }
    out
}

/// What git lists below a commit: `create mode 100644 a.rs`, `delete mode …`, `rename a.rs => b.rs (90%)`.
/// Paths are those of the repository, unresolved.
pub fn summary(text: &str) -> Vec<Touch> {
    text.lines()
        .filter_map(|line| {
            let line = line.strip_prefix(' ')?;
            let mode = |word: &str| {
                let rest = line.strip_prefix(word)?.strip_prefix(" mode ")?;
                let (mode, path) = rest.split_once(' ')?;
                mode.bytes()
                    .all(|b| b.is_ascii_digit())
                    .then(|| unquoted(path))
            };
            if let Some(path) = mode("create") {
                return Some(Touch::Created(path));
            }
            if let Some(path) = mode("delete") {
                return Some(Touch::Deleted(path));
            }
            let (names, percent) = line.strip_prefix("rename ")?.rsplit_once(" (")?;
            percent.strip_suffix("%)")?;
            let (from, to) = renamed(names)?;
            Some(Touch::Moved { from, to })
        })
        .collect()
}

/// The names of the files that a call changed, in order.
pub fn changed(session: &Session, place: &Place, step: &Step<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for touch in touches(session, place, step) {
        match touch {
            Touch::Read(_) => {}
            Touch::Moved { from, to } => out.extend([from, to]),
            other => out.push(other.into_name()),
        }
    }
    out
}

/// `src/{a => b}/c.rs` or `a.rs => b.rs` as two paths.
fn renamed(names: &str) -> Option<(String, String)> {
    if let (Some(open), Some(close)) = (names.find('{'), names.find('}'))
        && let Some((old, new)) = names
            .get(open + 1..close)
            .and_then(|inner| inner.split_once(" => "))
    {
        let (head, tail) = (names.get(..open)?, names.get(close + 1..)?);
        let path = |part: &str| format!("{head}{part}{tail}").replace("//", "/");
        return Some((path(old), path(new)));
    }
    let (old, new) = names.split_once(" => ")?;
    Some((unquoted(old), unquoted(new)))
}

/// A path as git quotes it: in quotes, with bytes beyond ASCII as octal numbers.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|p| p.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let mut code: Option<u32> = None;
        for _ in 0..3 {
            match rest.next_if(|b| (b'0'..=b'7').contains(b)) {
                Some(digit) => code = Some(code.unwrap_or(0) * 8 + u32::from(digit - b'0')),
                None => break,
            }
        }
        match code {
            Some(code) => bytes.push((code & 0xff) as u8),
            None => bytes.extend(rest.next()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
