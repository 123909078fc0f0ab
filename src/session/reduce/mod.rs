//! The rules: one event in, state changed, effects out.
//!
//! One folder or file for each subject; each adds to [`Step`], the one event being applied, and owns
//! the part of [`Inner`] that its rules need to remember.
//!
//! - `conversation`: what is said and done, in the session or in a subagent
//! - `updates`: whose an update is, and which of these subjects takes it
//! - `turn`: prompts, the queue, stopping, the agent's own state of work
//! - `questions`: what the agent asks for, and what becomes of it
//! - `options`: modes and options, and what a session is to open with
//! - `lifecycle`: opening, listing, renaming and deleting sessions; signing in
//! - `limits`: limits of the person's account
//! - `connection`: the agent's process and the handshake
//! - `subagents`: child sessions
//! - `side`: questions beside the conversation

mod connection;
mod conversation;
mod lifecycle;
mod limits;
mod options;
mod questions;
mod side;
mod subagents;
mod turn;
mod updates;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Instant,
};

use crate::{
    model::{
        Call, CallResult, CallTag, Compared, FromAgent, HostReply, Notification, RequestKey,
        RpcError, SessionId, ToAgent, code,
    },
    session::{
        AgentInfo, BlockId, CommandQuestion, Earlier, Effect, Event, Listing, Phase, Prompt,
        Providers, QuestionId, Session, SessionConfig, Start, Subagent, Subagents, TurnPhase,
    },
    text::SafeText,
};

pub use connection::error_text::{readable, speaks_version_1, wants_sign_in};
pub use conversation::Conversation;
pub use options::mode_option;
pub use questions::elicitation::asks_for_secret;

/// State that only the rules need.
#[derive(Debug, Default)]
pub(super) struct Inner {
    link: connection::Link,
    dialect: connection::dialect::Heard,
    opening: lifecycle::opening::Opening,
    early: updates::Early,
    sign_in: lifecycle::sign_in::SignIn,
    turn: turn::TurnRules,
    questions: questions::QuestionRules,
    settled_terminals: conversation::terminals::SettledTerminals,
    pages: questions::elicitation::Pages,
    options: options::OptionRules,
    settings: options::settings::Settings,
    listing: lifecycle::listing::ListRules,
    side: side::SideRules,
    limits: limits::LimitRules,
}

impl Inner {
    pub(super) fn turn_number(&self) -> u64 {
        self.turn.number
    }
}

/// Applies one event. `now` never runs backwards.
pub fn reduce(session: &mut Session, event: Event, now: Instant) -> Vec<Effect> {
    Step::on(session, now, |step| step.apply(event))
}

impl Session {
    /// A session that has yet to start its agent; the effects do that.
    pub fn start(config: SessionConfig, now: Instant) -> (Self, Vec<Effect>) {
        let mut session = Self::new(config, now);
        let effects = Step::on(&mut session, now, |step| step.spawn());
        (session, effects)
    }

    fn new(config: SessionConfig, now: Instant) -> Self {
        let mut session = Self {
            agent: Arc::new(AgentInfo {
                protocol: config.protocol,
                ..AgentInfo::default()
            }),
            phase: Phase::Starting { since: now },
            connection: None,
            id: None,
            title: None,
            own_title: false,
            conversation: Conversation::of_session(),
            turn: None,
            work: None,
            background: None,
            last_stop: None,
            changed_files: 0,
            acts: 0,
            // Sent when the session is open, like anything that is typed before.
            queue: config.first_prompt.iter().cloned().collect::<VecDeque<_>>(),
            queue_held: false,
            questions: VecDeque::new(),
            config_options: Vec::new(),
            options_rev: 0,
            commands: Vec::new(),
            usage: None,
            limit: None,
            suggestion: None,
            subagents: Subagents::default(),
            side: None,
            tokens: None,
            terminals: BTreeMap::new(),
            earlier: Earlier::default(),
            providers: Providers::default(),
            branch: config
                .worktree
                .as_ref()
                .map(|worktree| SafeText::line(&worktree.branch)),
            worktree: None,
            last_word: now,
            rev: 0,
            inner: Inner::default(),
            config,
        };
        match &session.config.start {
            Start::New => {}
            Start::Reopen(id) => session.inner.opening.again = Some(id.clone()),
            Start::Fork(fork) => session.inner.opening.fork = Some(fork.clone()),
        }
        session.inner.settings.wanted = session.config.settings.iter().cloned().collect();
        session
    }

    /// Whether the agent means this session by that id.
    pub(super) fn is(&self, id: &SessionId) -> bool {
        self.inner.opening.live() == Some(id)
    }

    /// Whether that is a child of this session, or a child's.
    pub(super) fn has_subagent(&self, id: &SessionId) -> bool {
        self.subagents.get(id).is_some()
    }

    /// A set-up call is open, whose reply may name any session (V1-SES-03).
    pub(super) fn may_be_named(&self) -> bool {
        let opening = matches!(self.phase, Phase::Opening { .. });
        (self.inner.opening.live().is_none() && opening) || self.is_forking_aside()
    }

    /// The agent's name for people: its own, else the profile's.
    pub fn agent_name(&self) -> &SafeText {
        self.agent.name.as_ref().unwrap_or(&self.config.agent)
    }

    /// What the agent is told before its process ends: the turn is cancelled, with the answers that
    /// the questions of a cancelled turn get (V1-PERM-02), and the session closed where it can be
    /// (V1-RPC-20). Its other open requests are answered by the connection's end.
    pub fn farewell(&self) -> Vec<ToAgent> {
        let questions = self.questions.iter().map(questions::closed);
        let Some(session) = self.inner.opening.live().cloned() else {
            // What belongs to a request of ours, as while signing in.
            return questions.collect();
        };
        let mut messages = Vec::new();
        if self
            .turn
            .as_ref()
            .is_some_and(|turn| turn.phase == TurnPhase::Running)
        {
            let cancel = Notification::Cancel {
                session: session.clone(),
            };
            messages.push(ToAgent::Notify(cancel));
        }
        messages.extend(questions);
        messages.extend(self.side_farewell());
        if self.agent.caps.close {
            messages.push(ToAgent::Call(Call::CloseSession { id: session }));
        }
        messages
    }

    /// Prompts that the agent has not taken: to be kept when the session goes.
    pub fn unsent(&self) -> impl DoubleEndedIterator<Item = &Prompt> {
        self.inner.sign_in.unsent().into_iter().chain(&self.queue)
    }

    /// When [`Event::Tick`] is wanted next, if at all: a cancel that is slow, a silence to be told,
    /// a start that takes long. An idle session has none.
    pub fn deadline(&self) -> Option<Instant> {
        [
            self.cancel_deadline(),
            self.silence_deadline(),
            self.opening_deadline(),
            self.setting_deadline(),
            self.listing_deadline(),
            self.steer_deadline(),
            self.limit_deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

/// One event being applied.
struct Step<'a> {
    session: &'a mut Session,
    /// The one whose conversation is worked on, taken out of the session meanwhile; `None`: the
    /// session's own.
    subagent: Option<Box<Subagent>>,
    /// Subagents that were worked on before that one, and are again behind it.
    outer: Vec<Subagent>,
    now: Instant,
    effects: Vec<Effect>,
}

impl Step<'_> {
    fn on(session: &mut Session, now: Instant, rules: impl FnOnce(&mut Step<'_>)) -> Vec<Effect> {
        let mut step = Step {
            session,
            subagent: None,
            outer: Vec::new(),
            now,
            effects: Vec::new(),
        };
        rules(&mut step);
        step.effects
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Agent(connection, word) => {
                // It was still in the pipe of an old process.
                if self.session.connection != Some(connection) {
                    return;
                }
                // What is said beside the conversation says nothing of the turn.
                if !self.session.is_aside(&word) {
                    self.silence_counts_anew();
                }
                self.word(word);
            }
            Event::Connected(connection) => self.connected(connection),
            Event::McpServers { servers, problems } => {
                self.session.config.mcp_servers = servers;
                self.session.config.mcp_problems = problems;
            }
            Event::SpawnFailed { error } => self.spawn_failed(error),
            Event::Exited(connection, exit) => {
                if self.session.connection != Some(connection) {
                    return;
                }
                self.exited(exit);
            }
            Event::Stderr(said) => self.stderr(&said),
            Event::StartOver { signed_in } => self.follow_to_new_process(signed_in),
            Event::Joined { connection, agent } => self.joined(connection, agent),
            Event::StartAgent => self.spawn(),
            Event::NoAgent { error } => self.no_agent(error),
            Event::SignedIn => self.signed_in_elsewhere(),

            Event::Submit(prompt) => self.submit(prompt),
            Event::Steer(prompt) => self.steer(prompt),
            Event::SubmitFirst(prompt) => self.submit_first(prompt),
            Event::Leave => self.close_questions(),
            Event::SendNow(prompt) => self.send_now(prompt),
            Event::GaveQueued(texts) => self.gave_queued(texts),
            Event::SendQueued => self.send_queued(),
            Event::RestoreQueue(prompts) => self.restore_queue(prompts),
            Event::UnqueueLast => self.unqueue(self.session.queue.len().saturating_sub(1)),
            Event::Unqueue(at) => self.unqueue(at),
            Event::AskAside(prompt) => self.ask_aside(prompt),
            Event::CloseSide => self.close_side(),
            Event::Stop => self.stop(),
            Event::Answer { question, option } => self.answer(question, &option),
            Event::AnswerFile { question, answer } => self.answer_file(question, answer),
            Event::AnswerCommand { question, run } => self.answer_command(question, run),
            Event::CancelSubagent(id) => self.cancel_subagent(&id),
            Event::CancelToolCall { of, id } => self.cancel_tool_call(of.as_ref(), id),
            Event::CancelTerminal { of, id } => self.cancel_terminal(of.as_ref(), id),
            Event::AnswerForm { question, answer } => self.answer_form(question, answer),
            Event::AnswerPage { question, answer } => self.answer_page(question, answer),
            Event::CycleMode => self.cycle_mode(),
            Event::ContinueAfterLimit => self.continue_after_limit(),
            Event::LimitEnds { resets, at, time } => self.limit_ends(resets, at, time),
            Event::MayContinue(may) => self.may_continue(may),
            Event::WantSuggestions(wanted) => self.want_suggestions(wanted),
            Event::SetOption { option, value } => self.set_option(&option, value),
            Event::Authenticate { method } => self.authenticate(method),
            Event::LogInByProfile => self.log_in_by_profile(),
            Event::WantSignIn => self.want_sign_in(),
            Event::LogOut => self.log_out(),
            Event::ListSessions => self.list_sessions(),
            Event::GiveUpListing => self.give_up_listing(Listing::NotAsked),
            Event::DeleteSession(id) => self.delete_session(id),
            Event::SetTitle { of, title } => self.set_title(of, &title),
            Event::ListProviders => self.list_providers(),
            Event::SetProvider(setting) => self.set_provider(setting),
            Event::DisableProvider { id } => self.disable_provider(id),
            Event::Restart => self.restart(),
            Event::EndAgent => self.end_agent(),
            Event::Note { level, text } => self.say(level, text),
            Event::EndedAt { row, time } => self.ended_at(row, &time),
            Event::OnBranch(branch) => self.session.branch = branch,
            Event::WorktreeSeen(status) => self.session.worktree = Some(*status),
            Event::TurnChanged { turn, files, lines } => self.turn_changed(turn, files, lines),

            Event::Compared { of, shown } => match of {
                Compared::Call {
                    inside,
                    block,
                    ticket,
                } => self.in_conversation_of(inside.as_ref(), |step| {
                    step.compared(BlockId(block), ticket, shown);
                }),
                Compared::Question(question) => self.compared_file(QuestionId(question), shown),
            },
            Event::Decided {
                question,
                revision,
                verdict,
            } => self.decided(question, revision, verdict),
            Event::AskFile {
                key,
                request,
                resolved,
                write,
                protected,
                reason,
            } => {
                if !self.deny_side(key, &request) {
                    self.ask_file(key, request, resolved, write, (protected, reason));
                }
            }
            Event::AskTerminal {
                key,
                request,
                command,
                shell,
                cwd,
                outside,
                reason,
            } => self.ask_terminal(CommandQuestion {
                id: QuestionId(0),
                key,
                request,
                command,
                shell,
                cwd,
                outside,
                reason,
                since: self.now,
            }),
            Event::PageOpened { question, result } => self.browser_answered(question, result),
            Event::Refused { of, what, rule } => match of {
                Some(id) if self.session.has_side(&id) => self.count_denied(),
                _ => self.refused(&what, &rule),
            },
            Event::Wrote {
                session,
                path,
                lines,
            } => {
                self.changed_under_questions(&path);
                self.in_conversation_of(Some(&session), |step| step.wrote(&path, lines));
            }
            Event::TerminalStarted {
                session,
                id,
                command,
                cwd,
            } => self.in_conversation_of(session.as_ref(), |step| {
                step.terminal_started(id, command, cwd);
            }),
            Event::ShellStarted { terminal, line } => self.shell_started(terminal, line),
            Event::TerminalExited { id, status } => {
                let owner = self.subagent_showing(&id);
                self.in_conversation_of(owner.as_ref(), |step| step.terminal_exited(id, status));
            }

            Event::LoginStarted {
                terminal,
                command,
                cwd,
            } => self.login_started(terminal, command, cwd),
            Event::LoginFailed { error } => self.login_failed(error),
            Event::LoginEnded { terminal, status } => self.login_ended(terminal, status),

            Event::Tick => {
                if !self.tick() {
                    return;
                }
            }
        }
        self.tell_writes_unless_calls_are_open();
        self.steers_go_on();
        self.session.rev += 1;
    }

    fn word(&mut self, word: FromAgent) {
        match word {
            FromAgent::Update { session, event } => self.update(session, event),
            FromAgent::Request { key, request } => self.request(key, request),
            FromAgent::Reply { call, result, .. } => self.reply(call, result),
            FromAgent::CallOver { request, .. } => self.call_over(&request),
            FromAgent::Account(account) => self.account_told(account),
            FromAgent::ElicitationDone { id } => self.page_done(&id),
            FromAgent::CancelRequest { key } => self.withdrawn(key),
            FromAgent::Unasked { message } => self.say_unasked(&message),
            FromAgent::Dialect(hint) => self.dialect(hint),
            FromAgent::Noise { what, bytes, count } => self.noise(&what, bytes, count),
            FromAgent::Oversized { limit } => self.oversized(limit),
        }
    }

    /// A reply to a call of ours. One that was not waited for does nothing (V1-RPC-16).
    fn reply(&mut self, call: CallTag, result: CallResult) {
        if self.is_refused_beside(&call, &result) {
            return;
        }
        let Some((call, result)) = self.reply_aside(call, result) else {
            return;
        };
        match (call, result) {
            (CallTag::Initialize, CallResult::Initialized(answer)) => self.initialized(*answer),
            (CallTag::Initialize, result) => self.initialize_failed(&failure(result)),
            (CallTag::Authenticate { method }, CallResult::Authenticated) => {
                self.authenticated(&method);
            }
            (CallTag::Authenticate { method }, result) => {
                self.authenticate_failed(&method, &failure(result));
            }
            (CallTag::Logout, CallResult::LoggedOut) => self.logged_out(),
            (CallTag::Logout, result) => self.logout_failed(&failure(result)),
            (
                call @ (CallTag::NewSession
                | CallTag::LoadSession { .. }
                | CallTag::ResumeSession { .. }
                | CallTag::ForkSession { .. }),
                result,
            ) => match result {
                CallResult::SessionOpened(opened) => self.opened(&call, *opened),
                result => self.opening_failed(&call, &failure(result)),
            },
            (CallTag::Prompt { session }, result) => match result {
                CallResult::PromptDone(reason, tokens) => {
                    self.prompt_done(&session, reason, tokens);
                }
                CallResult::PromptAccepted { message } => self.prompt_accepted(&session, message),
                result => self.prompt_failed(&session, failure(result)),
            },
            (CallTag::Steer { number, .. }, result) => self.steered(number, result),
            (CallTag::SetMode { session, mode }, result) => match result {
                CallResult::ModeSet => self.mode_set(&session, &mode),
                result => self.option_failed(Call::SetMode { session, mode }, &failure(result)),
            },
            (
                CallTag::SetConfigOption {
                    session,
                    option,
                    value,
                },
                result,
            ) => match result {
                CallResult::ConfigSet(options) => {
                    self.config_set(&session, &option, &value, options);
                }
                result => self.option_failed(
                    Call::SetConfigOption {
                        session,
                        option,
                        value,
                    },
                    &failure(result),
                ),
            },
            (CallTag::CancelToolCall { session, id }, result) => {
                self.tool_cancel_answered(&session, &id, &result);
            }
            (CallTag::CancelTerminal { session, id }, result) => {
                self.terminal_cancel_answered(&session, &id, &result);
            }
            (CallTag::CloseSession { .. }, _) => {}
            (CallTag::ListSessions { first }, result) => match result {
                CallResult::SessionsListed(page) => self.sessions_listed(first, page),
                result => self.listing_failed(&failure(result)),
            },
            (CallTag::DeleteSession { id }, result) => match result {
                CallResult::SessionDeleted => self.session_deleted(&id),
                result => self.delete_failed(&failure(result)),
            },
            (CallTag::SetTitle { session, .. }, result) => match result {
                CallResult::TitleSet(title) => self.title_set(&session, title),
                result => self.title_not_set(&failure(result)),
            },
            (CallTag::ListProviders, result) => match result {
                CallResult::ProvidersListed(list) => self.providers_listed(list),
                result => self.providers_not_listed(&failure(result)),
            },
            (CallTag::SetProvider { id }, result) => match result {
                CallResult::ProviderSet => self.provider_changed(&id, "set"),
                result => self.provider_not_changed(&id, &failure(result)),
            },
            (CallTag::DisableProvider { id }, result) => match result {
                CallResult::ProviderDisabled => self.provider_changed(&id, "disabled"),
                result => self.provider_not_changed(&id, &failure(result)),
            },
        }
    }

    /// The agent said something, or was given something to do.
    fn silence_counts_anew(&mut self) {
        self.session.last_word = self.now;
        self.session.inner.turn.silence_told = false;
    }

    /// The time came that [`Session::deadline`] asked for. Whether anything was due.
    fn tick(&mut self) -> bool {
        let slow_cancel = self.tell_slow_cancel();
        let silence = self.tell_silence();
        let slow_opening = self.tell_slow_opening();
        let slow_setting = self.tell_slow_setting();
        let slow_listing = self.tell_slow_listing();
        let slow_steer = self.tell_slow_steer();
        let limit = self.limit_is_over();
        slow_cancel
            || silence
            || slow_opening
            || slow_setting
            || slow_listing
            || slow_steer
            || limit
    }

    fn call(&mut self, call: Call) {
        self.effects.push(Effect::ToAgent(ToAgent::Call(call)));
    }

    fn notify(&mut self, notification: Notification) {
        let message = ToAgent::Notify(notification);
        self.effects.push(Effect::ToAgent(message));
    }

    fn answer_request(&mut self, key: RequestKey, reply: HostReply) {
        self.effects
            .push(Effect::ToAgent(ToAgent::Reply { key, reply }));
    }

    /// Whether the time for something that is due at `deadline` has come.
    fn is_due(&self, deadline: Option<Instant>) -> bool {
        deadline.is_some_and(|at| self.now >= at)
    }

    fn is_ready(&self) -> bool {
        self.session.phase == Phase::Ready
    }

    fn is_cancelling(&self) -> bool {
        self.session
            .turn
            .as_ref()
            .is_some_and(|turn| matches!(turn.phase, TurnPhase::Cancelling { .. }))
    }
}

/// The error of a reply that is not a success of the call's kind.
fn failure(result: CallResult) -> RpcError {
    match result {
        CallResult::Failed(error) => error,
        _ => RpcError::new(code::INTERNAL, "the answer belongs to another method"),
    }
}
