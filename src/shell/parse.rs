//! From a shell text to its simple commands, with the grammar of a real shell parser.
//!
//! The parser crate is kept behind one door ([`program`]): texts that are too deep or that it is
//! known to stumble over never reach it, and whatever it refuses is split by [`scan`] instead.

use super::joint::Joint;
use super::path;
use super::scan::scan;
use super::script::{Command, Heredoc, Redirect, RedirectKind, Script};
use super::words::Word;
use super::wrappers;
use brush_parser::ast;

/// Deepest nesting (brackets, quotes, bodies) that the parser is given.
const MAX_DEPTH: usize = 24;
/// How often a text inside a command (`bash -c`, `$( )`, `eval`) is opened.
const MAX_INNER: u8 = 4;
/// Most commands kept of one text.
const MAX_COMMANDS: usize = 4096;

/// Reads a shell text. Never fails; an unreadable text is split at its separators.
pub fn parse(text: &str) -> Script {
    let text = super::head(text);
    let mut walk = Walk {
        dir: Some(String::new()),
        ..Walk::default()
    };
    walk.text(text, 0);
    Script {
        commands: walk.out,
        exact: !walk.guessed,
        pipefail: walk.pipefail,
        strict: walk.strict,
    }
}

/// The only place where the parser crate is called.
fn program(text: &str) -> Option<ast::Program> {
    let options = brush_parser::ParserOptions::default();
    let read = || {
        let tokens =
            brush_parser::uncached_tokenize_str(text, &options.tokenizer_options()).ok()?;
        let mut depth = 0usize;
        for token in &tokens {
            match token.to_str() {
                "(" | "{" | "if" | "for" | "while" | "until" | "case" | "select" | "!" => {
                    depth += 1
                }
                ")" | "}" | "fi" | "done" | "esac" => depth = depth.saturating_sub(1),
                // A descriptor number that is no number makes the parser give up loudly.
                t if t.is_empty() || (t.len() > 9 && t.bytes().all(|b| b.is_ascii_digit())) => {
                    return None;
                }
                _ => {}
            }
            if depth > MAX_DEPTH {
                return None;
            }
        }
        brush_parser::parse_tokens(&tokens, &options).ok()
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok()?
}

/// The commands found so far, and what is known of the place we are in.
#[derive(Default)]
pub(super) struct Walk {
    out: Vec<Command>,
    dir: Option<String>,
    /// How deep in branches, loops and functions we are.
    branches: usize,
    /// How deep in bodies that run only on a condition.
    conditions: usize,
    substituted: usize,
    background: usize,
    pub(super) inner: u8,
    pub(super) guessed: bool,
    pipefail: bool,
    strict: bool,
}

impl Walk {
    fn text(&mut self, text: &str, inner: u8) {
        let outer = std::mem::replace(&mut self.inner, inner);
        let found = scan(text);
        let tree = if found.depth > MAX_DEPTH || text.contains('\0') {
            None
        } else if text.contains('\r') {
            program(&text.replace("\r\n", "\n"))
        } else {
            program(text)
        };
        match tree {
            Some(tree) => {
                for list in &tree.complete_commands {
                    self.list(list, Joint::Then);
                }
            }
            None => self.split(text, inner),
        }
        self.inner = outer;
    }

    fn list(&mut self, list: &ast::CompoundList, first: Joint) {
        let mut joint = first;
        for ast::CompoundListItem(and_or, end) in &list.0 {
            let background = matches!(end, ast::SeparatorOperator::Async);
            self.background += usize::from(background);
            self.and_or(and_or, joint);
            self.background -= usize::from(background);
            joint = if background {
                Joint::Background
            } else {
                Joint::Then
            };
        }
    }

    fn and_or(&mut self, list: &ast::AndOrList, first: Joint) {
        self.pipeline(&list.first, first);
        for next in &list.additional {
            let (pipeline, joint) = match next {
                ast::AndOr::And(p) => (p, Joint::And),
                ast::AndOr::Or(p) => (p, Joint::Or),
            };
            let branch = usize::from(joint == Joint::Or);
            let dir = self.dir.clone();
            self.conditions += 1;
            self.branches += branch;
            self.pipeline(pipeline, joint);
            self.branches -= branch;
            self.conditions -= 1;
            if joint == Joint::Or && self.dir != dir {
                self.dir = None;
            }
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, first: Joint) {
        let piped = pipeline.seq.len() > 1;
        let dir = self.dir.clone();
        for (n, command) in pipeline.seq.iter().enumerate() {
            self.command(command, if n == 0 { first } else { Joint::Pipe });
            if piped {
                self.dir.clone_from(&dir);
            }
        }
    }

    fn command(&mut self, command: &ast::Command, joint: Joint) {
        match command {
            ast::Command::Simple(simple) => self.simple(simple, joint),
            ast::Command::Compound(compound, redirects) => {
                let from = self.out.len();
                self.compound(compound, joint);
                if let Some(list) = redirects {
                    self.spread(list, from);
                }
            }
            ast::Command::Function(function) => self.branch(|w| {
                w.compound(&function.body.0, Joint::Then);
            }),
            ast::Command::ExtendedTest(..) => self.push(Command {
                program: "[[".to_owned(),
                joint,
                ..Command::default()
            }),
        }
    }

    /// The redirections of a compound command belong to its last command (`{ …; } > f`).
    fn spread(&mut self, list: &ast::RedirectList, from: usize) {
        let mut extra = Command::default();
        for redirect in &list.0 {
            self.redirect(redirect, &mut extra);
        }
        if self.out.len() > from
            && let Some(last) = self.out.last_mut()
        {
            last.redirects.append(&mut extra.redirects);
            last.heredocs.append(&mut extra.heredocs);
        }
    }

    fn branch(&mut self, body: impl FnOnce(&mut Self)) {
        let dir = self.dir.clone();
        self.branches += 1;
        self.conditions += 1;
        body(self);
        self.branches -= 1;
        self.conditions -= 1;
        if self.dir != dir {
            self.dir = None;
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand, joint: Joint) {
        use ast::CompoundCommand as C;
        match compound {
            C::Arithmetic(_) => {}
            C::BraceGroup(group) => self.list(&group.list, joint),
            C::Subshell(sub) => {
                let dir = self.dir.clone();
                self.list(&sub.list, joint);
                self.dir = dir;
            }
            C::ForClause(clause) => self.branch(|w| w.list(&clause.body.list, joint)),
            C::ArithmeticForClause(clause) => self.branch(|w| w.list(&clause.body.list, joint)),
            C::CaseClause(clause) => {
                for case in &clause.cases {
                    if let Some(list) = &case.cmd {
                        self.branch(|w| w.list(list, joint));
                    }
                }
            }
            C::IfClause(clause) => {
                self.list(&clause.condition, joint);
                self.branch(|w| w.list(&clause.then, Joint::And));
                for other in clause.elses.iter().flatten() {
                    self.branch(|w| {
                        if let Some(condition) = &other.condition {
                            w.list(condition, Joint::Or);
                        }
                        w.list(&other.body, Joint::Or);
                    });
                }
            }
            C::WhileClause(clause) | C::UntilClause(clause) => {
                self.list(&clause.0, joint);
                self.branch(|w| w.list(&clause.1.list, Joint::And));
            }
            C::Coprocess(clause) => self.command(&clause.body, Joint::Background),
        }
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, joint: Joint) {
        let mut command = Command {
            joint,
            ..Command::default()
        };
        let mut words = Vec::new();
        if let Some(prefix) = &simple.prefix {
            self.items(&prefix.0, true, &mut command, &mut words);
        }
        if let Some(name) = &simple.word_or_name {
            words.push(Word::new(&name.value));
        }
        if let Some(suffix) = &simple.suffix {
            self.items(&suffix.0, false, &mut command, &mut words);
        }
        self.finish(command, words);
    }

    fn items(
        &mut self,
        items: &[ast::CommandPrefixOrSuffixItem],
        prefix: bool,
        command: &mut Command,
        words: &mut Vec<Word>,
    ) {
        use ast::CommandPrefixOrSuffixItem as Item;
        for item in items {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, command),
                Item::Word(word) => words.push(Word::new(&word.value)),
                Item::AssignmentWord(_, word) if prefix => {
                    let (name, value) = word.value.split_once('=').unwrap_or((&word.value, ""));
                    self.inside(value);
                    command
                        .assignments
                        .push((name.to_owned(), Word::new(value).text));
                }
                Item::AssignmentWord(_, word) => words.push(Word::new(&word.value)),
                Item::ProcessSubstitution(_, sub) => {
                    self.substituted += 1;
                    self.list(&sub.list, Joint::Then);
                    self.substituted -= 1;
                }
            }
        }
    }

    fn redirect(&mut self, redirect: &ast::IoRedirect, command: &mut Command) {
        use ast::IoFileRedirectKind as K;
        match redirect {
            ast::IoRedirect::File(fd, kind, ast::IoFileRedirectTarget::Filename(word)) => {
                let kind = match kind {
                    K::Read | K::DuplicateInput => RedirectKind::Read,
                    K::Append => RedirectKind::Append,
                    K::Write | K::Clobber | K::ReadAndWrite | K::DuplicateOutput => {
                        RedirectKind::Write
                    }
                };
                command.redirects.push(Redirect {
                    kind,
                    fd: *fd,
                    target: Word::new(&word.value),
                });
            }
            ast::IoRedirect::File(..) => {}
            ast::IoRedirect::OutputAndError(word, append) => command.redirects.push(Redirect {
                kind: if *append {
                    RedirectKind::Append
                } else {
                    RedirectKind::Write
                },
                fd: None,
                target: Word::new(&word.value),
            }),
            ast::IoRedirect::HereDocument(_, here) => command.heredocs.push(Heredoc {
                body: here.doc.value.clone(),
                literal: !here.requires_expansion,
            }),
            ast::IoRedirect::HereString(_, word) => {
                let word = Word::new(&word.value);
                command.heredocs.push(Heredoc {
                    body: word.text,
                    literal: word.literal,
                });
            }
        }
    }

    /// Takes the wrappers off, opens texts inside, follows `cd`, and keeps the command.
    pub(super) fn finish(&mut self, mut command: Command, words: Vec<Word>) {
        for word in &words {
            self.inside(&word.raw);
        }
        let unwrapped = wrappers::unwrap(words);
        command.partial = unwrapped.partial;
        command.assignments.extend(unwrapped.assignments);
        if let Some(text) = unwrapped.script {
            if self.inner < MAX_INNER {
                let (from, dir) = (self.out.len(), self.dir.clone());
                self.text(&text, self.inner + 1);
                if !unwrapped.same_shell {
                    self.dir = dir;
                }
                if let Some(first) = self.out.get_mut(from) {
                    first.joint = command.joint;
                }
                if self.out.len() > from
                    && let Some(last) = self.out.last_mut()
                {
                    last.redirects.append(&mut command.redirects);
                    last.heredocs.append(&mut command.heredocs);
                }
            }
            return;
        }
        let mut words = unwrapped.words.into_iter();
        if let Some(first) = words.next() {
            command.program = name(&first.text);
        }
        command.words = words.collect();
        command.dir.clone_from(&self.dir);
        match command.program.as_str() {
            "cd" | "pushd" => self.change(&command),
            "popd" => self.dir = None,
            "set" => {
                self.pipefail |= command.has("pipefail");
                self.strict |= command.args().any(|a| {
                    a == "errexit" || a.strip_prefix('-').is_some_and(|f| f.contains('e'))
                });
            }
            _ => {}
        }
        self.push(command);
    }

    fn change(&mut self, command: &Command) {
        let target = command.words.iter().find(|w| !w.text.starts_with('-'));
        self.dir = match (target, &self.dir) {
            (Some(w), _) if w.literal && w.text.starts_with(['/', '~']) => {
                Some(path::join("", &w.text))
            }
            (Some(w), Some(dir)) if w.literal => Some(path::join(dir, &w.text)),
            _ => None,
        }
        // Longer than any system allows.
        .filter(|d| d.len() <= 4096);
    }

    /// Commands inside `$( )` of a word.
    fn inside(&mut self, raw: &str) {
        if self.inner >= MAX_INNER || !raw.contains("$(") || raw.starts_with('\'') {
            return;
        }
        let Some(body) = substitution(raw) else {
            return;
        };
        let dir = self.dir.clone();
        self.substituted += 1;
        self.text(body, self.inner + 1);
        self.substituted -= 1;
        self.dir = dir;
    }

    fn push(&mut self, mut command: Command) {
        if self.out.len() >= MAX_COMMANDS {
            return;
        }
        command.conditional =
            self.conditions > 0 || matches!(command.joint, Joint::And | Joint::Or);
        command.certain = self.branches == 0 && command.joint != Joint::Or;
        command.substituted = self.substituted > 0;
        command.background = self.background > 0;
        self.out.push(command);
    }
}

/// `./build` keeps its spelling; a program with a whole path is known by its file name.
fn name(text: &str) -> String {
    if text.starts_with('/') || text.contains("/bin/") {
        path::base(text).to_owned()
    } else {
        text.to_owned()
    }
}

/// What is inside the first `$( )` of a word; a bare `cat` of a here-document is none.
fn substitution(raw: &str) -> Option<&str> {
    let from = raw.find("$(")? + 2;
    let rest = raw.get(from..)?;
    if rest.starts_with('(') || rest.trim_start().starts_with("cat <<") {
        return None;
    }
    let whole = raw.get(from - 2..)?;
    let end = super::scan::closing(whole);
    whole.get(2..end)?.strip_suffix(')')
}

#[cfg(test)]
mod tests;
