//! Working directories of agents that write only a mark of them: Gemini CLI a hash or a short name, Kimi CLI a
//! hash. The mark is compared with the directories that the agent lists beside its sessions, and with the one
//! that was asked for.

use crate::json::Json;
use crate::transcript::Family;
use md5::Md5;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The working directory that the session's folder stands for.
pub fn cwd(family: Family, path: &Path, asked: Option<&str>) -> Option<String> {
    match family {
        // tmp/MARK/chats/session-….json
        Family::Gemini => {
            let folder = path.parent()?.parent()?;
            let mark = folder.file_name()?.to_str()?;
            let own = std::fs::read_to_string(folder.join(".project_root"));
            if let Some(root) = own.ok().filter(|root| !root.trim().is_empty()) {
                return Some(root.trim().to_owned());
            }
            let known = listed(folder.parent()?.parent()?.join("projects.json").as_path());
            let named = known.iter().find(|(_, name)| name == mark);
            let dirs = known.iter().map(|(dir, _)| dir.as_str()).chain(asked);
            named
                .map(|(dir, _)| dir.clone())
                .or_else(|| first(dirs, |dir| hex(&Sha256::digest(dir)) == mark))
        }
        // sessions/MARK/SESSION/wire.jsonl; Kimi Code says it in the file.
        Family::Kimi => {
            let folder = path.parent()?.parent()?;
            let mark = folder.file_name()?.to_str()?;
            let known = listed(folder.parent()?.parent()?.join("kimi.json").as_path());
            let dirs = known.iter().map(|(dir, _)| dir.as_str()).chain(asked);
            first(dirs, |dir| hex(&Md5::digest(dir)) == mark)
        }
        _ => None,
    }
}

/// The id that stands in the path only: Kimi's folder, Cursor's file.
pub fn id(family: Family, path: &Path) -> Option<String> {
    let name = match family {
        Family::Cursor => path.file_stem(),
        // SESSION/wire.jsonl, or SESSION/agents/main/wire.jsonl.
        Family::Kimi => {
            let mut above = path.ancestors().skip(1);
            let folder = match path.parent()?.ends_with("agents/main") {
                true => above.nth(2),
                false => above.next(),
            };
            folder?.file_name()
        }
        _ => None,
    };
    name.map(|n| n.to_string_lossy().into_owned())
}

fn first<'d>(mut dirs: impl Iterator<Item = &'d str>, is: impl Fn(&str) -> bool) -> Option<String> {
    dirs.find(|dir| is(dir)).map(str::to_owned)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Directories and their short names, where there are some: `{"projects":{DIR:NAME}}`, `{"work_dirs":[{"path"}]}`.
fn listed(file: &Path) -> Vec<(String, String)> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Vec::new();
    };
    let Ok(json) = Json::parse(&text) else {
        return Vec::new();
    };
    let projects = json.get("projects").into_iter().flat_map(|p| p.fields());
    let named = projects
        .filter_map(|(dir, name)| Some((dir.name().into_owned(), name.str()?.into_owned())));
    let dirs = json.get("work_dirs").into_iter().flat_map(|d| d.items());
    let unnamed = dirs.filter_map(|d| Some((d.text("path")?.into_owned(), String::new())));
    named.chain(unnamed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_stand_in_the_path() {
        let of = |family, path: &str| id(family, Path::new(path));
        let kimi = "sessions/HASH/s1/wire.jsonl";
        assert_eq!(of(Family::Kimi, kimi).as_deref(), Some("s1"));
        let code = "sessions/b/session_x/agents/main/wire.jsonl";
        assert_eq!(of(Family::Kimi, code).as_deref(), Some("session_x"));
        assert_eq!(of(Family::Cursor, "q/q.jsonl").as_deref(), Some("q"));
        assert_eq!(of(Family::Codex, "rollout-1.jsonl"), None);
    }

    #[test]
    fn a_kimi_folder_is_the_hash_of_its_directory() {
        let mark = hex(&Md5::digest("/p/가게"));
        let path = Path::new("sessions").join(&mark).join("s1/wire.jsonl");
        let of = |asked| cwd(Family::Kimi, &path, asked);
        assert_eq!(of(Some("/p/가게")).as_deref(), Some("/p/가게"));
        assert_eq!(of(Some("/p/가")), None);
    }

    #[test]
    fn a_mark_is_the_hash_of_a_known_directory_or_its_name() {
        let home = tempfile::tempdir().expect("a folder");
        let root = home.path();
        std::fs::write(
            root.join("projects.json"),
            r#"{"projects":{"/w/shop":"shop","/w/블로그":"blog"}}"#,
        )
        .expect("written");
        let of = |mark: &str, asked| {
            let file = root.join("tmp").join(mark).join("chats/session-1.json");
            cwd(Family::Gemini, &file, asked)
        };
        assert_eq!(of("shop", None).as_deref(), Some("/w/shop"));
        let hash = hex(&Sha256::digest("/w/블로그"));
        assert_eq!(of(&hash, None).as_deref(), Some("/w/블로그"));
        let hash = hex(&Sha256::digest("/w/other"));
        assert_eq!(of(&hash, None), None);
        assert_eq!(of(&hash, Some("/w/other")).as_deref(), Some("/w/other"));
    }
}
