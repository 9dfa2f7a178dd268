use super::*;

fn caught(group: Group, text: &str) -> bool {
    Rules::builtin().any(group, text)
}

fn yes(group: Group, texts: &[&str]) {
    let missed: Vec<_> = texts.iter().filter(|t| !caught(group, t)).collect();
    assert!(
        missed.is_empty(),
        "{} should match: {missed:#?}",
        group.name()
    );
}

fn no(group: Group, texts: &[&str]) {
    let rules = Rules::builtin();
    let wrong: Vec<_> = texts
        .iter()
        .filter_map(|t| {
            rules
                .first(group, t)
                .map(|hit| (t, rules.rule(hit.rule).unwrap().to_string()))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} should not match: {wrong:#?}",
        group.name()
    );
}

#[test]
fn small_talk() {
    yes(
        Group::SmallTalk,
        &[
            "ㅇㅇ",
            "ㄱㄱㄱ",
            "넵!",
            "오키 ㅋㅋ",
            "👍",
            "👍🏽",
            "네네 ㅎㅎ",
            "안녕하세요~",
            "네, 진행",
            "ok go",
            "OK!!",
            "LGTM",
            "thanks!",
            "dd",
            "rr",
            "ㅛㄷㄴ",
            "dz",
            "ㅋㅋㅋㅋ",
            "좋아. 계속해줘",
            "ok, thanks",
            "Sounds good.",
            "진행해 주세요~",
        ],
    );
    no(
        Group::SmallTalk,
        &[
            "좋아 이제 배포해줘",
            "응답 캐시를 켜줘",
            "ㄴㄴ 커밋은 내가 할게",
            "ok now fix the test",
            "테스트 추가",
            "add",
            "goal",
            "네이밍 고쳐줘",
            "",
            "123",
            "?",
        ],
    );
}

#[test]
fn changes_of_plan() {
    yes(
        Group::ChangeOfPlan,
        &[
            "계획 변경이야. 대신 요금 안내 화면부터 만들어줘",
            "대신 로그부터 봐줘",
            "아니, 캐시부터 고쳐줘",
            "그게 아니라 캐시부터",
            "그만두고 문서부터 써줘",
            "하던 거 무시하고 로그인부터 봐줘",
            "생각해보니 캐시가 먼저야",
            "이제부터는 결제만 봐줘",
            "actually, do the docs first",
            "Change of plan: ship the fix",
            "forget that, fix login",
            "new task: write docs",
            "stop the refactor and fix the build",
            "방향을 바꿔서 API부터 하자",
        ],
    );
    no(
        Group::ChangeOfPlan,
        &[
            "임대신청 화면을 추가해줘",
            "대신증권 API를 붙여줘",
            "경고는 무시하고 테스트만 봐줘",
            "파일을 옮겨서 정리해줘",
            "npm 대신 pnpm을 써줘",
            "use a map instead of a list",
            "로그를 봐줘",
            "버튼 색이 아니라서 고쳐줘",
            "add a pivot table",
        ],
    );
}

#[test]
fn task_verbs_and_reports() {
    yes(
        Group::TaskVerbs,
        &[
            "버그 고쳐줘",
            "테스트 추가",
            "로그 봐봐",
            "빌드 돌려봐",
            "fix the test를",
            "Look into it",
            "표 그려줘",
            "문서 써 줘",
        ],
    );
    no(
        Group::TaskVerbs,
        &[
            "prefix",
            "the address book",
            "안녕하세요",
            "ㅇㅇ",
            "made of steel",
        ],
    );
    yes(
        Group::CompletedForms,
        &[
            "확인했습니다",
            "테스트 통과했네요",
            "수정했어요.",
            "다 끝났어",
            "I've pushed it",
            "tests pass",
            "looks good",
            "배포됐다",
            "잘 되네요.",
        ],
    );
    no(
        Group::CompletedForms,
        &[
            "확인해줘",
            "테스트를 통과시켜줘",
            "fix the test",
            "고쳤던 파일을 열어줘",
        ],
    );
}

#[test]
fn standing_rules() {
    yes(
        Group::Preferences,
        &[
            "묻지 말고 진행해",
            "main에 직접 푸시하지마",
            "생성 파일은 건드리지 말아주세요",
            "외부 API 호출 금지",
            "주석은 영어로 쓰지 말 것",
            "자동으로 배포하지 마세요",
            "자동으로 삭제하지\u{a0}말아 주세요",
            "자동으로 푸시 하지  말 것",
            "지우지 마십시오",
            "지우지 마시고",
            "만들지 말아주시고",
            "깨지지 않도록 해줘",
            "앞으로 개인정보는 로그에 남기지 말 것。",
            "테스트는 항상 실행！",
            "앞으로는 커밋 전에 항상 테스트를 돌려줘",
            "앞으로 패키지는 항상 npm을 사용해줘",
            "아니다, 앞으로는 npm 말고 pnpm을 사용해줘",
            "앞으로 답변은 한국어로 해줄 수 있어?",
            "항상 한국어로 답해줘",
            "반드시 테스트를 돌려줘",
            "가급적 짧게 써줘",
            "탭을 선호합니다",
            "스타일: 탭 네 칸",
            "하위 작업은 서브에이전트에게 위임해",
            "배포는 하지 마🙏🏽 알겠지?",
            "커밋하지 마",
            "never force-push",
            "do not touch the lock file",
            "don't ask me",
            "always answer in Korean",
            "you must not edit it",
            "From now on use pnpm",
            "I prefer tabs",
            "please use tabs",
            "style: tabs",
        ],
    );
    no(
        Group::Preferences,
        &[
            "그때 캐시를 지우지 말았어야 했는데",
            "앞으로 넘어가는 버튼이 안 보여",
            "페이지 마지막 줄을 고쳐줘",
            "이미지 말고 표를 고쳐줘",
            "데이터 마이그레이션",
            "왜 푸시하지 마라고 했지",
            "로그인 화면을 고쳐줘",
            "The panel always moves",
            "it will never use the cache",
            "I don't know",
            "add a retry",
            "다른 팀에 위임하고 있다",
            "항상 표가 깨지는 이유가 뭐야",
        ],
    );
    yes(
        Group::OneOff,
        &[
            "이번만 테스트는 돌리지 말고 바로 커밋해줘",
            "일단 커밋하지 마",
            "just this once, skip tests",
            "지금은 배포하지 마",
        ],
    );
    no(Group::OneOff, &["앞으로는 커밋하지 마", "never skip tests"]);
    yes(
        Group::PreferenceExclusions,
        &["왜 푸시하지 마라고 했지", "지우지 말았어야 했는데"],
    );
}

#[test]
fn blockers() {
    yes(
        Group::Blockers,
        &[
            "로그인이 안 됩니다",
            "저장이 안되네요",
            "에러가 발생합니다",
            "테스트를 통과하지 않습니다",
            "여전히 실패해",
            "2 tests failed",
            "it doesn't work",
            "I cannot reach it",
            "빌드가 깨졌어",
        ],
    );
    no(
        Group::Blockers,
        &[
            "여전히 빠르고 좋다",
            "잘 됩니다",
            "all green",
            "unfailingly kind",
        ],
    );
    yes(
        Group::BlockerExclusions,
        &[
            "실패 0건",
            "실패한 테스트는 없습니다",
            "수정 후 전부 통과",
            "실패 메시지를 바꿨다",
            "0 failed",
            "no failures",
            "Rationale: it failed before",
            "Blocker(Pro)",
        ],
    );
    no(
        Group::BlockerExclusions,
        &["로그인이 안 됩니다", "2 tests failed"],
    );
}

#[test]
fn lines_that_are_no_goal() {
    yes(
        Group::GoalExclusions,
        &[
            "```rust",
            "| a | b |",
            "# 제목",
            "const x = 1;",
            "출력 형식: JSON",
            "You are a helpful agent",
            "첨부 파일이 있으면 읽어",
        ],
    );
    no(
        Group::GoalExclusions,
        &[
            "[긴급] 로그인 오류 고쳐줘",
            "로그 회전을 설정해줘",
            "Use the new API",
            "When the v2 API is available, switch to it",
            "1) Add retries",
        ],
    );
    yes(
        Group::AgentNotices,
        &[
            "[Request interrupted by user]",
            "Caveat: The messages below were generated by the user while running local commands.",
        ],
    );
    yes(
        Group::Questions,
        &[
            "이유가 뭐야?",
            "왜 항상 테스트를 먼저 실행해？",
            "배포 전에는 항상 백업을 해?",
            "why is it slow",
        ],
    );
    no(Group::Questions, &["고쳐줘", "fix it"]);
}

#[test]
fn stop_words_are_words() {
    let rules = Rules::builtin();
    assert!(rules.is_word(Group::StopWords, "the") && rules.is_word(Group::StopWords, "그리고"));
    assert!(!rules.is_word(Group::StopWords, "서버"));
}

#[test]
fn a_hit_names_its_rule() {
    let rules = Rules::builtin();
    let hit = rules.first(Group::TaskVerbs, "please fix it").unwrap();
    assert_eq!(hit.range, 7..10);
    let rule = rules.rule(hit.rule).unwrap();
    assert_eq!(
        (rule.source(), rule.text(), rule.is_builtin()),
        ("en.toml", "fix", true)
    );
    assert_eq!(rule.to_string(), "en.toml:taskVerbs[0]");
    assert!(rule.line().unwrap() > 1);
}

fn file(text: &str) -> RulesFile {
    RulesFile {
        name: "rules.json".to_owned(),
        text: text.to_owned(),
    }
}

#[test]
fn users_add_rules() {
    let text = r#"{"rules": {"goalExclusions": ["\b공지\b", "([잘못된", "^무시하고 넘어가:", "(?=x)", 7], "preferencePatterns": ["^팀약속\\s"], "noSuch": ["x"]}}"#;
    let (rules, warnings) = Rules::with_user(&[file(text)], &[]).unwrap();
    assert!(rules.any(Group::GoalExclusions, "무시하고 넘어가: 지난 회의록입니다"));
    assert!(!rules.any(Group::GoalExclusions, "공지 화면을 고쳐줘"));
    let hit = rules
        .first(Group::Preferences, "팀약속 7번, 탭 여덟 칸")
        .unwrap();
    let rule = rules.rule(hit.rule).unwrap();
    assert_eq!(
        (rule.source(), rule.text(), rule.index(), rule.is_builtin()),
        ("rules.json", r"^팀약속\s", 0, false)
    );
    let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 5, "{shown:#?}");
    for part in [
        r#""\b공지\b""#,
        "([잘못된",
        "(?=x)",
        "noSuch",
        "look-around",
    ] {
        assert!(
            shown
                .iter()
                .any(|w| w.contains(part) && w.starts_with("rules.json: ")),
            "{part}: {shown:#?}"
        );
    }
}

#[test]
fn groups_are_switched_off() {
    let (rules, _) = Rules::with_user(&[], &["taskVerbs".to_owned()]).unwrap();
    assert!(!rules.any(Group::TaskVerbs, "fix it"));
    assert!(rules.any(Group::Preferences, "never force-push"));
    let error = Rules::with_user(&[], &["taskverbz".to_owned()]).unwrap_err();
    assert!(error.to_string().contains("taskverbz") && error.to_string().contains("taskVerbs"));
    assert!(matches!(
        Rules::with_user(&[file("[]")], &[]),
        Err(RulesError::File { .. })
    ));
    assert!(matches!(
        Rules::with_user(&[file("{")], &[]),
        Err(RulesError::File { .. })
    ));
}
