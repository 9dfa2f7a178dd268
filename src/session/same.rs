//! When two calls are the same, so that one of them says nothing new.

use super::{Step, canonical_value, hash};
use crate::transcript::tools::{self, Tool};

/// What makes two calls the same: family and canonical arguments, the file by its one name, and the directory
/// where the arguments do not say it (SPEC 2.2).
pub fn same_call(step: &Step<'_>, path: Option<&str>, dir: Option<&str>) -> u64 {
    let args = step.call.args.json();
    let Some(path) = path else {
        return hash(&format!("{} {}", step.row.args_hash, dir.unwrap_or("")));
    };
    let tool = tools::family_of_call(step.call.tool, &args);
    let mut rest: Vec<String> = args
        .fields()
        .filter(|(key, value)| !tools::PATH_KEYS.iter().any(|k| key.is(k)) && !value.is_null())
        .map(|(key, value)| format!("{} {}", key.name(), canonical_value(value, 0)))
        .collect();
    // Arguments that the digest shortened are compared by their own hash.
    let whole = if tool == Tool::Read {
        0
    } else {
        step.row.args_hash
    };
    let name = match tool {
        Tool::Read | Tool::Write | Tool::Edit | Tool::Patch | Tool::Delete | Tool::List => {
            String::new()
        }
        _ => step.call.name.to_lowercase(),
    };
    rest.sort_unstable();
    hash(&format!(
        "{tool:?} {name} {whole} {path} {}",
        rest.join(" ")
    ))
}
