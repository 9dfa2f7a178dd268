//! The groups of the vocabulary. A new one is one line here and a table in the TOML files.
//!
//! Also part of the build script.

macro_rules! groups {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// What a word or pattern means.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Group {
            $($(#[$doc])* $variant,)+
        }

        impl Group {
            /// All groups, in the order of their definition.
            pub const ALL: &[Group] = &[$(Group::$variant,)+];

            /// The name in TOML and in rules files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Group::$variant => $name,)+
                }
            }
        }
    };
}

groups! {
    /// Greetings, thanks and go-aheads: the whole message (SPEC 1.15.1).
    SmallTalk = "smallTalk",
    /// Words that go ahead or acknowledge, alone or among themselves: a message of nothing else asks for nothing.
    Acknowledging = "acknowledgingWords",
    /// Words that agree or praise; a text that opens with one and asks nothing is an answer.
    Affirmations = "affirmations",
    /// Openings of an opinion that asks for nothing.
    Hedges = "hedges",
    /// Cries that make a statement a remark; without repeated letters.
    Interjections = "interjections",
    /// Sentences and clauses that ask for nothing: pauses, permissions, what was understood, asides.
    Remarks = "remarks",
    /// What was wrong is not any more, as a person saw it: it works now, it crashes no longer.
    Recoveries = "recoveries",
    /// Korean predicates that tell: what others say, what has come to pass.
    Narration = "narration",
    /// Words by which a sentence that tells asks after all, for a wish, a doubt or a lack.
    Appeals = "appeals",
    /// Turns of speech that deny or bewail in form only.
    Idioms = "idioms",
    /// Words that a spoken sentence opens with before it says anything.
    SpeechLeads = "speechLeads",
    /// Times, behind `last`, `on`, `this` or alone.
    Times = "times",
    /// Adverbs between a subject and its verb.
    Adverbs = "adverbs",
    /// Nouns for people who speak for themselves: colleagues, teams, family. Not a product's users.
    People = "people",
    /// Nouns for what tells without being anybody (`the console said`).
    TellingThings = "tellingThings",
    /// Events of work and life that take place.
    Occasions = "occasions",
    /// Pasts of irregular verbs that are no base form.
    PastForms = "pastForms",
    /// Verbs, in all forms, that wish, ask or perceive: what follows is asked for.
    AskingVerbs = "askingVerbs",
    /// Pasts and presents of what only people do: say, decide, like.
    TellingVerbs = "tellingVerbs",
    /// Verbs whose object is a thought.
    ThinkingVerbs = "thinkingVerbs",
    /// Verbs that tell of oneself in the present.
    StativeVerbs = "stativeVerbs",
    /// Pasts that tell how something went.
    CourseVerbs = "courseVerbs",
    /// What follows a verb and not an adjective: articles, pronouns, prepositions.
    ObjectLeads = "objectLeads",
    /// Go-aheads that point back (`continue where you left off`): they ask for nothing new.
    GoAheads = "goAheads",
    /// Guesses at how things are; with a fault in them they are complaints.
    Guesses = "guesses",
    /// Words that find a fault: a statement with one wants it mended.
    Defects = "defects",
    /// Words and predicates that judge well.
    Appraisals = "appraisals",
    /// Words without meaning of their own around a judgement.
    Fillers = "fillers",
    /// Verbs that make an order where they open a clause.
    CommandVerbs = "commandVerbs",
    /// Korean orders that only their object and their ending show (`경로를 반영해`).
    BareOrders = "bareOrders",
    /// What a person says of themselves when asked, although it denies something (`we don't use it`).
    OwnFacts = "ownFacts",
    /// More of the same: what is added to an answer is asked for.
    Additions = "additions",
    /// Questions about what the agent does: shouted, they want no answer.
    Conduct = "conduct",
    /// Questions that only vent.
    Rants = "rants",
    /// Curses.
    Curses = "curses",
    /// A change of plan (1.15.2).
    ChangeOfPlan = "changeOfPlan",
    /// Words that ask for work (1.15.3).
    TaskVerbs = "taskVerbs",
    /// How an order ends, whatever its verb.
    OrderForms = "orderForms",
    /// What has to be or should be: an order in the form of a statement.
    Deontic = "deonticForms",
    /// Reports of finished work, although they hold a task verb (1.15.3).
    CompletedForms = "completedForms",
    /// What a person is going to do themselves: no order to anyone.
    OwnIntent = "ownIntent",
    /// Standing rules (1.15.4).
    Preferences = "preferencePatterns",
    /// Says of the order before it that it holds for the team at all times.
    Conventions = "conventions",
    /// What looks like a rule and is none: regrets, reported speech, descriptions (1.5 P3).
    PreferenceExclusions = "preferenceExclusions",
    /// Just this once: never a rule (CONTRACT 11).
    OneOff = "oneOff",
    /// An earlier rule taken back (1.5 P4).
    Retractions = "retractions",
    /// Something is in the way (1.15.5).
    Blockers = "blockers",
    /// What is a fault where a person tells of it, while an agent may only describe.
    Complaints = "complaints",
    /// Signals that nothing beside them can take back: still not working.
    StrongBlockers = "strongBlockers",
    /// Orders to mend something: what is told right before one is what is wrong.
    Repairs = "repairs",
    /// Ends of an order that another clause may follow (`커밋해주시고 …`).
    OrderJoints = "orderJoints",
    /// Turns from what holds always to what is to be done now (`… 쓰지 말고 지금 이것도 고쳐`).
    Nows = "nows",
    /// Says why: nothing is asked for.
    Reasons = "reasons",
    /// Behind a verb of work, from its end on: it was done and showed something (`실행해 보니`).
    Findings = "findings",
    /// Behind a verb of work, from its last syllable on: it happens to something (`지워져요`).
    Passives = "passives",
    /// Words before `to` and a verb that judge by it (`easier to read`).
    Measures = "measures",
    /// How something is: a verb of work in it is no order (`영어로 작성되어 있어`).
    States = "states",
    /// How a sentence about oneself begins.
    FirstPerson = "firstPerson",
    /// What looks like a blocker and is none (1.15.5).
    BlockerExclusions = "blockerExclusions",
    /// Self-talk at the start of a text (1.15.6).
    SelfTalk = "selfTalk",
    /// Words that do not count (1.15.7).
    StopWords = "stopWords",
    /// Words that do not count in a query (1.15.7).
    QueryStopWords = "queryStopWords",
    /// Notices an agent's harness writes, not a person.
    AgentNotices = "agentNotices",
    /// How the report of a sub-agent begins that failed.
    AgentFailures = "agentFailures",
    /// Says in a sub-agent's report that it is still at work.
    AgentPending = "agentPending",
    /// Lines that are no goal (1.3 G3).
    GoalExclusions = "goalExclusions",
    /// Where a prompt's template begins (1.3 G2).
    TemplateSignals = "templateSignals",
    /// A line that is not whole without the list behind it.
    ListLeads = "listLeads",
    /// Tells why something happens: what it answers was a fault.
    Diagnoses = "diagnoses",
    /// Says what something is, not what it does.
    Identities = "identities",
    /// What the agent needs the person to do before it can go on; no courtesy at the end.
    Wants = "wants",
    /// Asks the person to tell or hand over something, without a question mark.
    Inquiries = "inquiries",
    /// A question that offers the person the next step and waits.
    Offers = "offers",
    /// Words that make a sentence a rule and say nothing of what it is about.
    RulingWords = "rulingWords",
    /// Words that make a rule a standing one, whatever else the sentence orders.
    Standing = "standingWords",
    /// Asks politely (`줄 수 있어?`, `can you`).
    Polite = "politeForms",
    /// A tag behind an order or a rule (`알겠지?`) that makes it no question.
    Tags = "questionTags",
    /// A sentence that asks for an answer, with or without a question mark.
    Questions = "questions",
    /// Why something is as it is, and what follows: lines a brief keeps rather than others.
    Causes = "causes",
    /// What an assistant is about to do, greetings and offers: lines a brief leaves out first.
    Announcements = "announcements",
}

impl Group {
    /// The group of that name, any of them.
    pub fn from_name(name: &str) -> Option<Group> {
        Group::ALL
            .iter()
            .copied()
            .find(|group| group.name() == name)
    }
}

/// Whether the group is asked for in line after line of which nothing else is asked: few literals are found faster than all.
pub fn is_apart(group: Group) -> bool {
    matches!(group, Group::Causes | Group::Announcements)
}
