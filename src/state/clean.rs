//! Takes secrets out of what was extracted, before it is shown, merged or written: whatever list it stands in.

use super::State;
use crate::redact::redact;
use std::borrow::Cow;

impl State {
    /// The state without secrets (CONTRACT 3). Ids, references, hashes and times hold none.
    pub fn redacted(mut self) -> State {
        let head = &mut self.session;
        let head = [&mut head.title, &mut head.cwd, &mut head.branch];
        head.into_iter().flatten().for_each(clean);
        let items = [
            &mut self.goal,
            &mut self.scope_change,
            &mut self.earlier_requests,
        ];
        let items = items.into_iter().flatten().chain(&mut self.latest_request);
        items.for_each(|item| clean(&mut item.text));
        self.preferences.iter_mut().for_each(|p| clean(&mut p.text));
        self.blockers.iter_mut().for_each(|b| clean(&mut b.text));
        self.todos.iter_mut().for_each(|t| clean(&mut t.text));
        for file in &mut self.files {
            clean(&mut file.path);
            file.renamed_from.iter_mut().for_each(clean);
        }
        for commit in &mut self.commits {
            clean(&mut commit.subject);
            commit.branch.iter_mut().for_each(clean);
        }
        self
    }
}

fn clean(text: &mut String) {
    if let Cow::Owned(clean) = redact(text) {
        *text = clean;
    }
}
