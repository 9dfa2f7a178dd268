use super::*;
use crate::session::testing::Talk;
use serde_json::json;

fn shown(talk: &Talk) -> Vec<String> {
    todos(None, &talk.session())
        .into_iter()
        .map(|t| format!("{:?} {} {}", t.status, t.text, t.reference))
        .collect()
}

fn talk() -> Talk {
    Talk::in_dir("/w").person("정리해줘")
}

#[test]
fn the_newest_accepted_list_counts() {
    let list = |status: &str| json!({"todos": [{"content": "색인", "status": status}, {"content": "문서", "status": "pending"}]});
    let talk = talk()
        .call("TodoWrite", list("pending"))
        .ok("ok")
        .call("TodoWrite", list("in_progress"))
        .ok("ok")
        .call("TodoWrite", json!({"todos": "bad"}))
        .fails("must be an array");
    assert_eq!(shown(&talk), ["InProgress 색인 #3", "Pending 문서 #3"]);
}

#[test]
fn a_finished_list_vanishes_but_is_on_the_board() {
    let talk = talk()
        .call(
            "update_plan",
            json!({"plan": [{"step": "a", "status": "completed"}]}),
        )
        .ok("Plan updated");
    assert!(shown(&talk).is_empty());
    assert_eq!(board(&talk.session(), ..).items.len(), 1);
    assert_eq!(board(&talk.session(), ..1), Board::default());
}

#[test]
fn tasks_are_replayed_by_the_id_of_their_result() {
    let talk = talk()
        .call(
            "TodoWrite",
            json!({"todos": [{"content": "옛 목록", "status": "pending"}]}),
        )
        .ok("ok")
        .call("TaskCreate", json!({"subject": "색인"}))
        .ok("Task #4 created successfully: 색인")
        .call("TaskCreate", json!({"subject": "문서"}))
        .result(
            "Task created",
            false,
            Some(json!({"task": {"id": "5", "subject": "문서"}})),
        )
        .call(
            "TaskUpdate",
            json!({"taskId": "4", "status": "in_progress"}),
        )
        .ok("Updated task #4 status")
        .call("TaskUpdate", json!({"taskId": "5", "status": "deleted"}))
        .ok("Updated task #5");
    assert_eq!(shown(&talk), ["InProgress 색인 #7"]);
}

#[test]
fn merged_textual_and_action_lists_are_read() {
    let merged = talk()
        .call("todo_write", json!({"merge": false, "todos": [{"id": "1", "content": "a", "status": "pending"}, {"id": "2", "content": "b", "status": "pending"}]}))
        .ok("ok")
        .call("todo_write", json!({"merge": true, "todos": [{"id": "1", "status": "completed"}]}))
        .ok("ok");
    assert_eq!(shown(&merged), ["Completed a #3", "Pending b #1"]);
    let text = talk()
        .call(
            "TodoWrite",
            json!({"todos": "1. [completed] 옵션\n2. [in_progress] 문법\n- [ ] 시험\n메모"}),
        )
        .ok("ok");
    assert_eq!(
        shown(&text),
        ["Completed 옵션 #1", "InProgress 문법 #1", "Pending 시험 #1"]
    );
    let tracker = talk()
        .call("task_tracker", json!({"command": "plan", "task_list": [{"title": "하나", "notes": "", "status": "done"}, {"title": "둘", "status": "in_progress"}]}))
        .ok("Task list has been updated with 2 items.")
        .call("task_tracker", json!({"command": "view", "task_list": []}))
        .ok("# Task List");
    assert_eq!(shown(&tracker), ["Completed 하나 #1", "InProgress 둘 #1"]);
    let actions = talk()
        .call("todo", json!({"action": "add", "text": "하나"}))
        .ok("Added todo #1: 하나")
        .call("todo", json!({"action": "add", "text": "둘"}))
        .ok("Added todo #2: 둘")
        .call("todo", json!({"action": "toggle", "id": 1}))
        .ok("Todo #1 completed");
    assert_eq!(shown(&actions), ["Completed 하나 #5", "Pending 둘 #3"]);
}
