//! Ways to sign in, as the agent describes them.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::view::{Member, Misfit, Pass, Text, members, need, need_as, need_line, object};
use crate::{
    model::{AuthMethod, AuthMethodKind, LoginProgram, code},
    text::SafeText,
};

/// A longer command line is not run: no one would read it first.
const MAX_COMMAND_LINE: usize = 1 << 10;

/// Of version 1, by its `type`: an unknown one is never sent to `authenticate` (V1-AUTH-06, V1-AUTH-07).
/// `None` for what has no id.
pub fn auth_method(method: &Value) -> Option<AuthMethod> {
    let text = |key: &str| method.get(key).and_then(Value::as_str);
    let id = text("id")?;
    let kind = match method.get("type") {
        None | Some(Value::Null) => match method.pointer("/_meta/terminal-auth") {
            Some(older) => AuthMethodKind::Program(login_program(older)),
            None => AuthMethodKind::Agent,
        },
        Some(Value::String(kind)) => match kind.as_str() {
            "agent" => AuthMethodKind::Agent,
            // Its command, if there is one, is ignored (V1-AUTH-05).
            "terminal" => AuthMethodKind::Terminal {
                args: args(method),
                env: env(method),
            },
            "env_var" => AuthMethodKind::EnvVar {
                vars: items(method, "vars")
                    .filter_map(|var| var.as_str().or_else(|| var.get("name")?.as_str()))
                    .map(SafeText::line)
                    .collect(),
            },
            other => AuthMethodKind::Unsupported(SafeText::line(other)),
        },
        Some(other) => AuthMethodKind::Unsupported(SafeText::line(&other.to_string())),
    };
    Some(AuthMethod {
        id: id.to_owned(),
        name: SafeText::line(text("name").unwrap_or(id)),
        description: text("description").map(SafeText::new),
        kind,
    })
}

/// Of version 2, where each names its type (V2-AUTH-01).
pub fn auth_method_of_v2(raw: &RawValue) -> Result<AuthMethod, Misfit> {
    members!(struct Method {
        kind = "type": Text<'a>,
        method_id,
        name,
        description,
        args,
        env,
    });
    let method: Method<'_> = object(raw.get()).ok_or(Misfit)?;
    let exactly = Pass::V2.exactly();
    let kind = match method.kind.as_str() {
        "agent" => AuthMethodKind::Agent,
        "terminal" => AuthMethodKind::Terminal {
            args: exactly.read(method.args)?.unwrap_or_default(),
            env: variables(method.env)?,
        },
        other => AuthMethodKind::Unsupported(SafeText::line(other)),
    };
    Ok(AuthMethod {
        id: need(method.method_id)?.into_string(),
        name: need_line(method.name)?,
        description: Pass::V2.lines(method.description)?,
        kind,
    })
}

/// Of two of one name the last one holds (V2-AUTH-02).
fn variables(env: Member<'_>) -> Result<Vec<(String, String)>, Misfit> {
    #[derive(Deserialize)]
    struct Variable {
        name: String,
        value: String,
    }
    let Some(env) = env else {
        return Ok(Vec::new());
    };
    let listed: Vec<Variable> = need_as(Some(env))?;
    let mut variables: Vec<(String, String)> = Vec::with_capacity(listed.len());
    for Variable { name, value } in listed {
        // No system takes others.
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Misfit);
        }
        variables.retain(|(known, _)| *known != name);
        variables.push((name, value));
    }
    Ok(variables)
}

/// Those in the data of an error that asks for a sign-in.
pub fn named_in_error(error: &Value) -> Vec<AuthMethod> {
    if error.get("code").and_then(Value::as_i64) != Some(code::AUTH_REQUIRED) {
        return Vec::new();
    }
    let methods = error.pointer("/data/authMethods").and_then(Value::as_array);
    methods
        .into_iter()
        .flatten()
        .filter_map(auth_method)
        .collect()
}

fn login_program(older: &Value) -> Option<LoginProgram> {
    let command = older.get("command").and_then(Value::as_str)?;
    let program = LoginProgram {
        command: command.to_owned(),
        args: args(older),
        env: env(older),
    };
    let readable = program.command_line().len() <= MAX_COMMAND_LINE;
    (!command.is_empty() && readable).then_some(program)
}

fn args(method: &Value) -> Vec<String> {
    let args = items(method, "args").filter_map(Value::as_str);
    args.map(str::to_owned).collect()
}

/// An object in v1; v2 and `McpServer` have a list of pairs.
fn env(method: &Value) -> Vec<(String, String)> {
    let members = method.get("env").and_then(Value::as_object);
    let members = members.into_iter().flatten();
    let members = members.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let pairs = items(method, "env").filter_map(|pair| {
        let text = |key: &str| pair.get(key).and_then(Value::as_str);
        Some((text("name")?, text("value")?))
    });
    let all = members.chain(pairs);
    // No system takes others.
    let all = all.filter(|(name, _)| !name.is_empty() && !name.contains('='));
    all.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn items<'a>(method: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let items = method.get(key).and_then(Value::as_array);
    items.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // V1-AUTH-08: as kimi and pi send it.
    #[test]
    fn an_error_that_wants_a_sign_in_may_name_the_ways() {
        let named = |code: i64| {
            let way = json!({"id": "login", "name": "Log in", "type": "terminal", "args": ["now"]});
            named_in_error(
                &json!({"code": code, "data": {"authMethods": [way, {"name": "no id"}]}}),
            )
        };
        let [way] = named(-32000).try_into().expect("one");
        assert_eq!(
            way.kind,
            AuthMethodKind::Terminal {
                args: vec!["now".to_owned()],
                env: Vec::new(),
            }
        );
        assert!(named(-32603).is_empty());
        assert!(named_in_error(&json!({"code": -32000, "data": "log in"})).is_empty());
    }
}
