//! Takes secrets out of what was extracted and composes its text, before it is shown, merged or written: whatever list
//! it stands in.

use super::State;
use crate::language::nfc;
use crate::redact::redact;

impl State {
    /// The state without secrets, in composed characters (CONTRACT 3, 11). Ids, references, hashes and times hold neither.
    pub fn cleaned(mut self) -> State {
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
    let composed = nfc(text);
    let clean = redact(&composed);
    if clean != *text {
        *text = clean.into_owned();
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::Talk;

    #[test]
    fn what_was_written_decomposed_is_stored_composed() {
        let subject = "\u{110F}\u{116E}\u{1111}\u{1169}\u{11AB}";
        let talk = Talk::in_dir("/w").person("커밋해줘").run(
            &format!("git commit -m '{subject}'"),
            &format!("[{subject} 1a2b3c4] {subject}\n 1 file changed"),
        );
        let state = crate::extract::extract(&talk.session(), &crate::lexicon::Rules::shared());
        let commit = state.commits.first().unwrap();
        assert_eq!(
            (commit.subject.as_str(), commit.branch.as_deref()),
            ("쿠폰", Some("쿠폰"))
        );
    }
}
