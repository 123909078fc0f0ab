//! Examines one agent, step by step, until one fails.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    acp::{Client, LaunchSpec, StopMode},
    app::{cleanup::Started, services::launch_spec},
    cli::{DoctorReport, ExitCode, Finding, Launch, Verdict, program_version},
    config::{AgentProfile, Loaded, NotFound, StartError, find_program},
    model::{
        Account, AgentCaps, Call, CallResult, ClientCaps, ConfigKind, ConfigOption, ConnectionId,
        DialectHint, DialectRow, Initialized, McpServer, McpTransport, Protocol, RpcError,
        SecretPairs, SessionId, SessionOpened, SessionSetup, SetBy, SettingKey, category, code,
    },
    session::{mode_option, readable_error, resolve_setting, speaks_version_1, wants_sign_in},
    text::SafeText,
};

use super::{
    advice,
    asked::{Asked, NoAnswer},
    interpreter, is_about,
    progress::Progress,
};

/// How long the session that was opened for it may take to go away again.
const TIDY_PATIENCE: Duration = Duration::from_secs(2);

/// How long a second session may take to open: it is only opened to see whether the form of its MCP
/// server is taken, and an agent that opens one session alone may not answer at all.
const SERVER_PATIENCE: Duration = Duration::from_secs(5);

/// How long it may take to tell who is signed in: it runs a program of its own for that.
const ACCOUNT_PATIENCE: Duration = Duration::from_secs(5);

/// It speaks the version before the one that it was asked for.
struct Older;

pub struct Examination<'a> {
    pub profile: &'a AgentProfile,
    pub launch: &'a Launch,
    pub loaded: &'a Loaded,
    /// For each answer.
    pub patience: Duration,
    pub progress: Progress,
}

/// What the agent has told of that.
fn who_is_signed_in(account: Option<&Account>, report: &mut DoctorReport) {
    let (verdict, text) = match account {
        Some(account) if account.none => (Verdict::Missing, account.line()),
        Some(account) => (Verdict::Ok, account.line()),
        None => (
            Verdict::Missing,
            "the agent has not told who is signed in".into(),
        ),
    };
    report.add(verdict, "account", &*text);
}

impl Examination<'_> {
    /// All of it. What is started is in `started`.
    pub async fn make(&self, started: &Started, report: &mut DoctorReport) {
        self.profile_lines(report);
        let cwd = &self.launch.cwd;
        let program = match self.profile.locate(cwd) {
            Ok(program) => program,
            Err(StartError::NotFound(missing)) => return self.not_found(&missing, report),
            Err(StartError::Invocation(problem)) => {
                // It says what to do.
                let finding = Finding::failed("command", problem.to_string());
                return report.fail(ExitCode::NoAgent, finding);
            }
        };
        let command = self.profile.command_line_of(&program.to_string_lossy());
        report.add(Verdict::Ok, "command", &command);
        let path = self.path();
        if !what_runs_it(&program, path.as_deref(), cwd, report) {
            return;
        }
        self.progress
            .start(&self.profile.command_line(), self.patience);
        let max_line = self.loaded.config.connection.max_line();
        let caps = self.caps();
        let spec = match launch_spec(self.profile, cwd, max_line) {
            Ok(spec) => spec,
            Err(error) => {
                let finding = Finding::failed("start", &*error);
                return report.fail(ExitCode::NoAgent, finding);
            }
        };
        let mut protocol = self.profile.protocol;
        loop {
            let spec = LaunchSpec {
                protocol,
                ..spec.clone()
            };
            let (client, inbox) = match Client::connect(spec, ConnectionId(1), caps, None).await {
                Ok((client, inbox)) => (Arc::new(client), inbox),
                Err(error) => {
                    let finding = Finding::failed("start", error.to_string());
                    let shell = format!("run it in a shell: {}", self.profile.command_line());
                    return report.fail(ExitCode::NoAgent, finding.advise([shell]));
                }
            };
            started.add_agent(Arc::clone(&client));
            let mut agent = Asked {
                client,
                inbox,
                patience: self.patience,
                progress: &self.progress,
                dialect: Vec::new(),
                account: None,
                noise: None,
            };
            match self.talk(&mut agent, protocol, report).await {
                Ok(caps) => {
                    self.mcp_servers(caps.as_ref(), report);
                    return self.how_it_speaks(&agent, report);
                }
                Err(Older) => {
                    started.end_agent(&agent.client, StopMode::Quick).await;
                    protocol = Protocol::V1;
                }
            }
        }
    }

    /// What the configuration says of it that is wrong, or out of the ordinary.
    fn profile_lines(&self, report: &mut DoctorReport) {
        let warnings = self.loaded.warnings.iter();
        for warning in warnings.filter(|warning| is_about(warning, self.profile)) {
            report.add(Verdict::Warning, "config", warning.to_string());
        }
        let profile = self.profile;
        if profile.protocol == Protocol::Threads {
            let text = "protocol = \"threads\": speaks the protocol before ACP";
            report.add(Verdict::Ok, "profile", text);
        }
        if profile.protocol == Protocol::V2 {
            let text = "protocol = \"2\": speaks the draft of the next version, if the agent can";
            report.add(Verdict::Ok, "profile", text);
        }
        let rows = DialectRow::ALL.iter();
        for row in rows.filter(|row| profile.dialect.names(**row)) {
            let text = format!("dialect \"{}\": {}", row.name(), row.what());
            report.add(Verdict::Ok, "profile", text);
        }
        if profile.own_process {
            let text = "own_process: each session gets a process";
            report.add(Verdict::Ok, "profile", text);
        }
        if profile.scratch {
            let text = "scratch: each session gets a temporary folder";
            report.add(Verdict::Ok, "profile", text);
        }
    }

    fn not_found(&self, missing: &NotFound, report: &mut DoctorReport) {
        let finding = Finding::failed("command", missing.without_remedy().to_string());
        let mut advice = Vec::new();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        if let Some(elsewhere) = interpreter::elsewhere(&missing.program, home.as_deref()) {
            let folder = elsewhere.parent().unwrap_or(&elsewhere);
            advice.push(format!(
                "it is in {0}: put that folder on PATH, or {1}",
                folder.display(),
                advice::in_profile(
                    self.profile,
                    &format!("command = \"{}\"", elsewhere.display())
                )
            ));
        }
        let known = advice::known_by_program(self.profile, &self.loaded.config);
        let known = known.and_then(|known| known.install.as_ref());
        if let Some(install) = self.profile.install.as_ref().or(known) {
            advice.push(install.clone());
            let installer = install.split_whitespace().next().unwrap_or_default();
            advice.extend(self.missing_runtime(installer));
        }
        if let Some(name) = missing.program.to_str() {
            advice.extend(self.missing_runtime(name));
        }
        report.fail(ExitCode::NoAgent, finding.advise(advice));
        self.mcp_servers(None, report);
    }

    fn missing_runtime(&self, program: &str) -> Option<String> {
        let source = interpreter::comes_with(program)?;
        let found = find_program(
            OsStr::new(program),
            self.path().as_deref(),
            &self.launch.cwd,
        );
        let text = format!("{program} is missing: it comes with {source}");
        found.is_none().then_some(text)
    }

    /// PATH as the agent gets it.
    fn path(&self) -> Option<OsString> {
        match self.profile.invocation() {
            Ok(invocation) => invocation.path(),
            Err(_) => std::env::var_os("PATH"),
        }
    }

    fn caps(&self) -> ClientCaps {
        ClientCaps {
            read_text_file: self.profile.fs_read,
            write_text_file: self.profile.fs_write,
            terminal: self.profile.terminal,
            // Nothing is asked or signed in to here; a login is offered for what the UI would be
            // told.
            elicitation_form: false,
            elicitation_url: false,
            suggestions: false,
            ..ClientCaps::default()
        }
    }

    /// What was said, and what it can do where it told.
    async fn talk(
        &self,
        agent: &mut Asked<'_>,
        protocol: Protocol,
        report: &mut DoctorReport,
    ) -> Result<Option<AgentCaps>, Older> {
        let caps = self.caps();
        let initialized = match agent.ask("initialize", Call::Initialize { caps }).await {
            Ok(CallResult::Initialized(initialized)) => initialized,
            Ok(other) => {
                let older = protocol == Protocol::V2
                    && matches!(&other, CallResult::Failed(error) if speaks_version_1(error));
                if older {
                    return self.older(report);
                }
                self.refused_to_start(&other, report);
                return Ok(None);
            }
            Err(none) => {
                self.no_answer(agent, "initialize", &none, report);
                return Ok(None);
            }
        };
        let (version, wanted) = (initialized.protocol_version, protocol.version());
        if protocol == Protocol::V2 && version == Protocol::V1.version() {
            return self.older(report);
        }
        if version != wanted {
            let text = format!("it speaks version {version} of the protocol, not {wanted}");
            let finding = Finding::failed("initialize", text);
            let advice = advice::version(version).to_owned();
            report.fail(ExitCode::NoAgent, finding.advise([advice]));
            return Ok(None);
        }
        report.add(Verdict::Ok, "initialize", &*names(&initialized));
        if let Some(version) = &initialized.odd_version {
            let text = format!("it names the protocol version \"{version}\"; treated as 1");
            report.add(Verdict::Warning, "initialize", text);
        }
        report.add_capabilities(&initialized.caps);
        for (offered, method, key) in [
            (caps.read_text_file, "fs/read_text_file", "fs.read"),
            (caps.write_text_file, "fs/write_text_file", "fs.write"),
            (caps.terminal, "terminal/create", "terminal"),
        ] {
            if !offered {
                let text = format!("not offered to the agent: its profile has {key} = false");
                report.add(Verdict::Missing, method, text);
            }
        }
        self.system_prompt(&initialized.caps, report);
        for method in &initialized.auth_methods {
            let description = method.description.as_deref();
            let description = description.map(|text| format!(": {}", text.trim()));
            let description = description.unwrap_or_default();
            let way = advice::sign_in_way(self.profile, method);
            let text = format!("{}{description} ({way})", method.name);
            report.add(Verdict::Ok, "sign-in", text);
        }
        if initialized.caps.sessionless {
            // V2-INIT-04
            let text = "it says that it has no sessions, so no conversation is possible";
            report.fail(ExitCode::NoAgent, Finding::failed("session/new", text));
        } else {
            self.open(agent, &initialized, report).await;
        }
        if initialized.caps.tells_account {
            let patience = self.patience.min(ACCOUNT_PATIENCE);
            who_is_signed_in(agent.account(patience).await, report);
        }
        let opens_again = initialized.caps.load_session || initialized.caps.resume;
        if protocol == Protocol::V1 && !opens_again {
            self.older_resume(agent, report);
        }
        Ok(Some(initialized.caps))
    }

    /// Once more, in version 1, as a session would (V2-INIT-01).
    fn older<T>(&self, report: &mut DoctorReport) -> Result<T, Older> {
        let text = "it speaks version 1 of the protocol, not 2: each start takes two tries";
        let finding = Finding::new(Verdict::Warning, "initialize", text);
        report.push(finding.advise([advice::in_profile(self.profile, "protocol = \"1\"")]));
        Err(Older)
    }

    /// D-02: who resumes by the older name does not say so, but shows the rest of that dialect.
    fn older_resume(&self, agent: &Asked<'_>, report: &mut DoctorReport) {
        let row = DialectRow::UnstableResume;
        if !agent.dialect.iter().any(|hint| hint.suggests(row)) {
            return;
        }
        let advice = DialectHint::Wanted(row).advice(self.profile.dialect);
        let Some(line) = advice.and_then(|advice| advice.lines.into_iter().next()) else {
            return;
        };
        let text = format!(
            "agents of this dialect may have {} without announcing it",
            row.what()
        );
        let line = advice::in_profile(self.profile, &line.line);
        report.push(Finding::new(Verdict::Missing, "older resume", text).advise([line]));
    }

    /// Where the profile has one (V1-INIT-21).
    fn system_prompt(&self, caps: &AgentCaps, report: &mut DoctorReport) {
        let Some(prompt) = &self.profile.system_prompt else {
            return;
        };
        let left_out = if !caps.system_prompt {
            "the agent takes none: skipped"
        } else if prompt.replaces && !caps.system_prompt_override {
            "the agent takes one only in addition to its own: skipped"
        } else {
            return;
        };
        report.add(Verdict::Warning, "system_prompt", left_out);
    }

    fn refused_to_start(&self, result: &CallResult, report: &mut DoctorReport) {
        let advice = match result {
            CallResult::Failed(error) if error.code == code::UNSUPPORTED_VERSION => {
                let newest = error.supported_versions.iter().max();
                advice::version(newest.copied().unwrap_or(0)).to_owned()
            }
            CallResult::Failed(error) if error.code == code::METHOD_NOT_FOUND => {
                "it speaks JSON-RPC, but not ACP: is it a language server, or an MCP server?".into()
            }
            _ => format!("run it in a shell: {}", self.profile.command_line()),
        };
        let finding = Finding::failed("initialize", refusal(result));
        report.fail(ExitCode::NoAgent, finding.advise([advice]));
    }

    fn no_answer(&self, agent: &Asked<'_>, what: &str, none: &NoAnswer, report: &mut DoctorReport) {
        let config = &self.loaded.config;
        let (mut text, stderr, advice) = match none {
            NoAnswer::Silent => (
                format!("no answer within {} s", self.patience.as_secs_f64()),
                agent.client.stderr(),
                advice::silent(self.profile, config),
            ),
            NoAnswer::Ended(exit) => {
                let how = exit.status.as_ref().map(|status| status.how());
                let how = how.or_else(|| exit.cause.as_ref().map(|cause| format!("({cause})")));
                (
                    format!("the agent ended {}", how.unwrap_or_default()),
                    exit.stderr.clone(),
                    advice::ended(self.profile, config, exit),
                )
            }
        };
        if let Some(noise) = &agent.noise {
            text.push_str(&format!(
                "; it wrote something that is not a protocol message: {noise}"
            ));
        }
        let finding = Finding::failed(what, text.trim_end());
        report.fail(
            ExitCode::NoAgent,
            finding.with_stderr(&stderr).advise(advice),
        );
    }

    async fn open(
        &self,
        agent: &mut Asked<'_>,
        initialized: &Initialized,
        report: &mut DoctorReport,
    ) {
        let setup = SessionSetup {
            cwd: self.launch.cwd.clone(),
            additional_directories: Vec::new(),
            // They would be started, or connected to, for nothing.
            mcp_servers: Vec::new(),
            system_prompt: None,
            no_suggestions: false,
        };
        match agent.ask("session/new", Call::NewSession(setup)).await {
            Ok(CallResult::SessionOpened(opened)) => {
                report.add(Verdict::Ok, "session/new", "");
                let id = opened.id.clone();
                self.options(*opened, report);
                if let Some(id) = id {
                    tidy_up(agent, id, &initialized.caps).await;
                }
                self.offer_server(agent, &initialized.caps, report).await;
            }
            Ok(CallResult::Failed(error))
                if wants_sign_in(&error, !initialized.auth_methods.is_empty()) =>
            {
                let text = format!("sign-in required: {}", readable_error(&error));
                let finding = Finding::failed("session/new", text);
                let advice = advice::sign_in(self.profile, &initialized.auth_methods);
                report.fail(ExitCode::NoAuthentication, finding.advise(advice));
            }
            Ok(other) => {
                let finding = Finding::failed("session/new", refusal(&other));
                let stderr = agent.client.stderr();
                report.fail(ExitCode::Failure, finding.with_stderr(&stderr));
            }
            Err(none) => self.no_answer(agent, "session/new", &none, report),
        }
    }

    /// Where the profile has MCP servers: whether one is taken in the form in which it would go. It is a
    /// program that ends at once, so that none of theirs is started for nothing.
    async fn offer_server(
        &self,
        agent: &mut Asked<'_>,
        caps: &AgentCaps,
        report: &mut DoctorReport,
    ) {
        if self.profile.mcp_servers.is_empty() || !caps.mcp.stdio {
            return;
        }
        let setup = SessionSetup {
            cwd: self.launch.cwd.clone(),
            additional_directories: Vec::new(),
            mcp_servers: vec![McpServer {
                name: "acp-tui-doctor".to_owned(),
                transport: McpTransport::Stdio {
                    command: "/bin/true".into(),
                    args: Vec::new(),
                    env: SecretPairs::default(),
                },
            }],
            system_prompt: None,
            no_suggestions: false,
        };
        let call = Call::NewSession(setup);
        let patience = self.patience.min(SERVER_PATIENCE);
        match agent
            .ask_within("a session with an MCP server", call, patience)
            .await
        {
            Ok(CallResult::SessionOpened(opened)) => {
                if let Some(id) = opened.id {
                    tidy_up(agent, id, caps).await;
                }
            }
            // It may mind that program, where it understands the words.
            Ok(CallResult::Failed(error)) if error.code == code::INVALID_PARAMS => {
                let text = format!("it does not take them: {}", failure(&error));
                report.add(Verdict::Warning, "mcp servers", text);
            }
            _ => {}
        }
    }

    /// Modes and options by their ids, as --mode, --model and --set take them; what is current comes
    /// first. Where there are config options, they alone tell the modes (V1-SES-05).
    fn options(&self, opened: SessionOpened, report: &mut DoctorReport) {
        let mut options = opened.config_options;
        let own = options.iter().any(|option| option.set_by == SetBy::Option);
        let shown = options.len();
        let modes = opened.modes.or_else(|| self.profile.own_modes());
        if let Some(modes) = modes.filter(|_| !own) {
            options.push(mode_option(modes));
        }
        let mut modes = options.iter().rev();
        match modes.find(|option| option.is_of(category::MODE) && option.is_select()) {
            Some(modes) => report.add(Verdict::Ok, "modes", values(modes)),
            None if self.profile.dialect.names(DialectRow::ModeParam) => {
                // D-24
                let text = "agents of this dialect do not list theirs";
                let line = advice::in_profile(self.profile, "modes = [\"…\"]");
                report.push(Finding::new(Verdict::Missing, "modes", text).advise([line]));
            }
            None => report.add(Verdict::Missing, "modes", "--mode has no effect"),
        }
        for option in options.iter().take(shown) {
            let text = format!("{} = {}", option.id, values(option));
            report.add(Verdict::Ok, "option", text);
        }
        if shown == 0 {
            report.add(
                Verdict::Missing,
                "options",
                "--model and --set have no effect",
            );
        }
        for setting in self.launch.settings(self.profile) {
            let key = match &setting.key {
                SettingKey::Mode => "mode".to_owned(),
                SettingKey::Model => "config.model".to_owned(),
                SettingKey::Option(key) => format!("config.{key}"),
            };
            if let Err(problem) = resolve_setting(&options, &setting) {
                report.add(Verdict::Warning, key, problem.text);
            }
        }
    }

    /// Those that its profile names: whether they can be run, and reach it.
    fn mcp_servers(&self, caps: Option<&AgentCaps>, report: &mut DoctorReport) {
        let (servers, problems) = self.profile.mcp_servers(&self.launch.cwd);
        for problem in problems {
            let text = format!("{problem}: skipped");
            let program = problem
                .problem
                .split_whitespace()
                .next()
                .unwrap_or_default();
            let advice = self.missing_runtime(program);
            report.push(Finding::new(Verdict::Warning, "mcp server", text).advise(advice));
        }
        for McpServer { name, transport } in &servers {
            let (reaches, what) = match transport {
                McpTransport::Stdio { command, .. } => (
                    Some(caps.is_none_or(|caps| caps.mcp.stdio)),
                    command.display().to_string(),
                ),
                McpTransport::Http { .. } => (caps.map(|caps| caps.mcp.http), "over http".into()),
                McpTransport::Sse { .. } => (caps.map(|caps| caps.mcp.sse), "over sse".into()),
            };
            if reaches == Some(false) {
                let text = format!("{name}: skipped, the agent does not connect {what}");
                report.add(Verdict::Warning, "mcp server", text);
            } else {
                report.add(Verdict::Ok, "mcp server", format!("{name}: {what}"));
            }
        }
    }

    fn how_it_speaks(&self, agent: &Asked<'_>, report: &mut DoctorReport) {
        for spoken in advice::dialect(self.profile, &agent.dialect) {
            let verdict = if spoken.understood {
                Verdict::Ok
            } else {
                Verdict::Warning
            };
            report.push(Finding::new(verdict, "dialect", spoken.text).advise(spoken.advice));
        }
    }
}

/// Whether what a script needs is there; a program that is none needs nothing.
fn what_runs_it(
    program: &Path,
    path: Option<&OsStr>,
    cwd: &Path,
    report: &mut DoctorReport,
) -> bool {
    let Some(interpreter) = interpreter::interpreter(program) else {
        return true;
    };
    let shown = interpreter.to_string_lossy().into_owned();
    let name = advice::program_name(&shown);
    let comes_with = || interpreter::comes_with(name).map(|source| format!("install {source}"));
    let Some(found) = find_program(&interpreter, path, cwd) else {
        let text = format!("{shown}, the interpreter in its first line, was not found");
        let finding = Finding::failed("runtime", text);
        report.fail(ExitCode::NoAgent, finding.advise(comes_with()));
        return false;
    };
    if name != "node" {
        return true;
    }
    let Some(version) = program_version(&found) else {
        return true;
    };
    let wanted = interpreter::wanted_node(program);
    let oldest = wanted.as_deref().and_then(interpreter::oldest);
    let old =
        oldest.is_some_and(|oldest| interpreter::version(&version).is_some_and(|v| v < oldest));
    let text = format!("node {version}");
    if old {
        let wanted = wanted.unwrap_or_default();
        let text = format!("{text} is too old: it needs {wanted}");
        // It is tried all the same: many run with less than they ask for.
        let finding = Finding::new(Verdict::Warning, "runtime", text);
        report.push(finding.advise(comes_with()));
    } else {
        report.add(Verdict::Ok, "runtime", text);
    }
    true
}

/// The session was opened to look at it: no list is to have it from now on.
async fn tidy_up(agent: &mut Asked<'_>, id: SessionId, caps: &AgentCaps) {
    let call = if caps.delete {
        Call::DeleteSession { id }
    } else if caps.close {
        Call::CloseSession { id }
    } else {
        return;
    };
    let patience = std::mem::replace(&mut agent.patience, TIDY_PATIENCE);
    // Whatever becomes of it is not what was to be found out.
    let _ = agent.ask("the session's end", call).await;
    agent.patience = patience;
}

fn values(option: &ConfigOption) -> String {
    match &option.kind {
        ConfigKind::Boolean { current: true } => "true, false".to_owned(),
        ConfigKind::Boolean { current: false } => "false, true".to_owned(),
        ConfigKind::Select { current, values } => {
            let ids = values.iter().map(|value| value.value.as_str());
            let others = ids.filter(|id| *id != current.as_str());
            let current = Some(current.as_str()).filter(|current| !current.is_empty());
            let all: Vec<&str> = current.into_iter().chain(others).collect();
            all.join(", ")
        }
    }
}

fn names(initialized: &Initialized) -> SafeText {
    let name = initialized
        .agent_name
        .as_deref()
        .unwrap_or("the agent does not say what it is");
    let version = initialized.agent_version.as_deref().unwrap_or_default();
    SafeText::line(format!("{name} {version}").trim_end())
}

fn refusal(result: &CallResult) -> String {
    match result {
        CallResult::Failed(error) => failure(error),
        _ => "an unexpected kind of answer".to_owned(),
    }
}

fn failure(error: &RpcError) -> String {
    format!("{} (error {})", readable_error(error), error.shown_code())
}
