//! Commands that were read before. One command is asked about by many: what it changed, what it committed, how it
//! ended, how it looks on a line; and agents run the same few commands over and over.
//!
//! Reading is a pure function of the text, so what is kept changes no answer. It is bounded, or a long session would
//! be kept twice.

use super::parse::parse as read;
use super::script::Script;
use foldhash::HashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Commands kept, and the longest of them in bytes: a here-document is seldom run twice.
const KEPT: usize = 1024;
const LONGEST: usize = 2048;

thread_local! {
    static KNOWN: RefCell<HashMap<Box<str>, Rc<Script>>> = RefCell::default();
}

/// Reads a shell text. Never fails; an unreadable text is split at its separators.
pub fn parse(text: &str) -> Rc<Script> {
    if text.len() > LONGEST {
        return Rc::new(read(text));
    }
    if let Some(script) = KNOWN.with_borrow(|known| known.get(text).cloned()) {
        return script;
    }
    let script = Rc::new(read(text));
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(text.into(), Rc::clone(&script));
    });
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_is_the_same() {
        for n in 0..KEPT + 2 {
            let text = format!("cargo test case_{n} && git status");
            assert_eq!(*parse(&text), read(&text));
            assert_eq!(*parse(&text), read(&text));
        }
        KNOWN.with_borrow(|known| assert!(known.len() <= KEPT));
    }
}
