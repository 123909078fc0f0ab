//! Permission policy and rules as data: read from the config, judged by the host; and
//! what comes of it, for the session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    model::{OptionId, ToolKind},
    text::SafeText,
};

/// What happens to a request that no rule decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The dialog.
    #[default]
    Ask,
    /// Edits inside the workspace are allowed.
    AcceptEdits,
    /// Edits, commands, fs/write and terminal/create are rejected.
    ReadOnly,
    /// What no rule denies is allowed; outside the workspace still asks.
    AllowAll,
}

impl Policy {
    pub const ALL: [Self; 4] = [Self::Ask, Self::AcceptEdits, Self::ReadOnly, Self::AllowAll];

    /// As the config and the command line name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AcceptEdits => "accept-edits",
            Self::ReadOnly => "read-only",
            Self::AllowAll => "allow-all",
        }
    }
}

/// What happens to a request for a file outside of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutsideWorkspace {
    #[default]
    Ask,
    Deny,
}

/// A rule by its words, `rule execute rm`; the policy is named as one, and is no rule.
pub fn rule_words(rule: &str) -> String {
    match rule.starts_with("policy ") {
        true => rule.to_owned(),
        false => format!("rule {rule}"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    Allow,
    Deny,
    Ask,
}

/// Matches where every part that it names matches. Deny beats ask beats allow, whatever the order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub kind: Option<ToolKind>,
    /// Programmatic tool name.
    pub tool: Option<String>,
    /// Glob, relative to the workspace.
    pub path: Option<String>,
    /// Leading words of the command line. One with operators, substitutions, redirections or
    /// newlines, outside the workspace, or with variables set that are not known to be harmless,
    /// matches no allow rule.
    pub command: Option<String>,
    pub decision: Decision,
    /// How it is named where it decided: `allow execute "cargo test" (config.toml:12)`.
    pub label: SafeText,
}

/// What policy and rules say to a permission request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The option to answer with, and what decided.
    Allow {
        option: OptionId,
        rule: SafeText,
    },
    Deny {
        option: OptionId,
        rule: SafeText,
    },
    /// Why a rule made it a question, or could not decide it; `None` where nothing spoke.
    Ask {
        reason: Option<SafeText>,
        /// Bounded by whoever judges.
        strays: Vec<Stray>,
    },
}

impl Verdict {
    /// A question about no path that is out of the agent's reach.
    pub fn ask(reason: Option<SafeText>) -> Self {
        Self::Ask {
            reason,
            strays: Vec::new(),
        }
    }
}

/// A path of a request that is outside the workspace, or protected, once its links are followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stray {
    /// As the agent named it, in the session's directory without that.
    pub asked: SafeText,
    /// Where it leads; `None` where it says so itself.
    pub leads: Option<SafeText>,
    /// What is the matter with it, as it goes on after "it".
    pub why: SafeText,
}

/// The person's word on a request of fs/* or terminal/*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consent {
    /// Not asked yet: roots and rules decide.
    None,
    Once,
    /// And for the folder of the file from now on in this session.
    Folder,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_named_as_one_and_no_rule() {
        assert_eq!(rule_words("policy read-only"), "policy read-only");
        assert_eq!(rule_words("execute rm"), "rule execute rm");
    }
}
