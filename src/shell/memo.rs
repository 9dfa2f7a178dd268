//! Commands that were read before. One command is asked about by many in a row: what it changed, what it committed, how
//! it ended, how it looks on a line; and agents run the same few commands over and over.
//!
//! Reading is a pure function of the text, so what is kept changes no answer. It is bounded, or a long session would
//! be kept twice.

use super::parse::parse as read;
use super::script::Script;
use foldhash::HashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Commands kept, and the bytes of all of them.
const KEPT: usize = 512;
const BYTES: usize = 32 << 10;

#[derive(Default)]
struct Known {
    scripts: HashMap<Box<str>, Rc<Script>>,
    bytes: usize,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// Reads a shell text. Never fails; an unreadable text is split at its separators.
pub fn parse(text: &str) -> Rc<Script> {
    if text.len() > BYTES / 2 {
        return Rc::new(read(text));
    }
    if let Some(script) = KNOWN.with_borrow(|known| known.scripts.get(text).cloned()) {
        return script;
    }
    let script = Rc::new(read(text));
    KNOWN.with_borrow_mut(|known| {
        known.bytes += text.len();
        if known.scripts.len() >= KEPT || known.bytes > BYTES {
            known.scripts.clear();
            known.bytes = text.len();
        }
        known.scripts.insert(text.into(), Rc::clone(&script));
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
        KNOWN.with_borrow(|known| assert!(known.scripts.len() <= KEPT));
    }
}
