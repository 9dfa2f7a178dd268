//! Calls with their results as Gemini CLI and its descendants write them.

use crate::json::Json;
use crate::transcript::formats::google::{outcome, response_text};
use crate::transcript::formats::shared::{call, shown, text};
use crate::transcript::{Args, Aside, Change, Entry, Side, Status};
use std::borrow::Cow;

/// A call with its result in one record.
pub fn tool_call<'a>(record: Json<'a>, entry: &mut Entry<'a>) {
    let [id, name, arguments, status, results, display, agent] = record.pick([
        "id",
        "name",
        "args",
        "status",
        "result",
        "resultDisplay",
        "agentId",
    ]);
    let id = text(id);
    let arguments = Args::Json(arguments.map_or(Cow::Borrowed("null"), |a| Cow::Borrowed(a.raw())));
    entry.blocks.push(call(id.clone(), text(name), arguments));
    let status = match text(status).as_ref() {
        "success" => Status::Ok,
        "error" => Status::Error,
        "cancelled" => Status::Cancelled,
        // Still on its way when it was written.
        _ => return,
    };
    let mut said = Vec::new();
    let mut first = None;
    for part in results.iter().flat_map(|r| r.items()) {
        match part.get("functionResponse").and_then(|f| f.get("response")) {
            Some(response) => said.push(response_text(response).0),
            None => said.push(text(part.get("text"))),
        }
    }
    if let [one] = said.as_slice() {
        first = Some(one.clone());
    }
    let said = first.unwrap_or_else(|| Cow::Owned(said.join("\n").trim().to_owned()));
    let said = if said.is_empty() {
        shown(display.filter(|d| d.str().is_some()))
    } else {
        said
    };
    let side = Side::from(Aside {
        agent: agent.and_then(|a| a.str()).filter(|a| !a.is_empty()),
        changes: display.into_iter().filter_map(change).collect(),
        ..Aside::NOTHING
    });
    entry.blocks.push(outcome(id, Some(status), said, side));
}

/// What an edit's display says of the file.
pub fn change(display: Json<'_>) -> Option<Change<'_>> {
    let [diff, path, fresh] = display.pick(["fileDiff", "filePath", "isNewFile"]);
    diff?;
    let path = path.and_then(|p| p.str()).filter(|p| !p.is_empty())?;
    let fresh = fresh.and_then(|f| f.bool()) == Some(true);
    Some(Change {
        op: if fresh { 'A' } else { 'M' },
        path,
        to: None,
    })
}
