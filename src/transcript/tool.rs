//! The family of a tool by its name: `Read` = `read` = `read_file`, whatever the agent calls it (SPEC 0.7, FORMATS 5).

/// The family of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Tool {
    Read,
    Write,
    Edit,
    /// A patch over one or more files.
    Patch,
    Delete,
    Shell,
    /// Reads from or writes to a shell that is already running.
    ShellSession,
    Search,
    List,
    Web,
    /// Replaces the whole todo list.
    TodoList,
    TodoRead,
    TaskCreate,
    TaskUpdate,
    /// Launches a sub-agent.
    Agent,
    Ask,
    Plan,
    Skill,
    /// Noise of the host that says nothing of the work.
    Noise,
    Other,
}

/// The family of the tool with this name.
pub fn family(name: &str) -> Tool {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "read" | "read_file" | "readfile" | "read_many_files" | "view" | "view_image"
        | "notebookread" | "open" | "cat_file" => Tool::Read,
        "write" | "write_file" | "writefile" | "create" | "create_file" | "write_to_file" => {
            Tool::Write
        }
        "edit"
        | "edit_file"
        | "multiedit"
        | "multi_edit"
        | "notebookedit"
        | "editnotebook"
        | "replace"
        | "strreplace"
        | "str_replace"
        | "strreplacefile"
        | "str_replace_editor"
        | "str_replace_based_edit_tool"
        | "file_editor"
        | "update_file"
        | "search_replace"
        | "replace_in_file"
        | "insert" => Tool::Edit,
        "apply_patch" | "applypatch" | "patch" => Tool::Patch,
        "delete" | "delete_file" | "remove_file" => Tool::Delete,
        "bash" | "shell" | "shell_command" | "exec_command" | "container.exec" | "local_shell"
        | "local_shell_call" | "run_shell_command" | "powershell" | "execute" | "run"
        | "terminal" | "execute_bash" | "run_command" | "run_terminal_cmd" | "execute_command"
        | "run_in_terminal" | "exec" => Tool::Shell,
        "write_stdin" | "bashoutput" | "taskoutput" | "killshell" | "killbash" | "taskstop"
        | "read_bash" | "write_bash" | "stop_bash" => Tool::ShellSession,
        "grep"
        | "glob"
        | "grep_search"
        | "search_file_content"
        | "rg"
        | "find"
        | "semanticsearch"
        | "search_files"
        | "codebase_search"
        | "file_search"
        | "lsp" => Tool::Search,
        "ls" | "list" | "list_dir" | "list_directory" => Tool::List,
        "webfetch" | "web_fetch" | "fetchurl" | "fetch" | "websearch" | "web_search"
        | "searchweb" | "google_web_search" => Tool::Web,
        "todowrite" | "todo_write" | "write_todos" | "update_plan" | "settodolist" | "todolist"
        | "update_todo" | "todo" | "task_tracker" | "task_tracking" => Tool::TodoList,
        "todoread" | "todo_read" | "tasklist" | "taskget" => Tool::TodoRead,
        "taskcreate" => Tool::TaskCreate,
        "taskupdate" => Tool::TaskUpdate,
        "task" | "agent" | "spawn_agent" | "invoke_agent" | "delegate_task" | "subagent"
        | "delegate" => Tool::Agent,
        "askuserquestion" | "request_user_input" | "question" | "ask_user" | "askquestion"
        | "askuser" | "ask" => Tool::Ask,
        "exitplanmode" | "enterplanmode" | "exit_plan_mode" | "enter_plan_mode" | "createplan"
        | "exitspecmode" => Tool::Plan,
        "skill" | "skill_view" | "activate_skill" => Tool::Skill,
        "toolsearch" | "tool_search" | "generatedroid" | "report_intent" => Tool::Noise,
        _ => Tool::Other,
    }
}
