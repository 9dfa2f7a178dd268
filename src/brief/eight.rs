//! `--layout eight`: eight fixed headings, always all, `None` where empty (SPEC 1.17).

use super::Options;
use crate::session::Session;
use crate::state::State;

pub fn brief(
    _session: &Session,
    _state: &State,
    _options: &Options,
    _ceiling: usize,
) -> Option<String> {
    None
}
