//! Permission policy and rules as data: read from the config and judged by the host; and the
//! verdict for the session.

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
    /// All that no rule denies is allowed, except outside the workspace, which still asks.
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

/// Matches if every part that it names matches. Deny beats ask, ask beats allow, in any order.
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
    /// Its name in reports: `allow execute "cargo test" (config.toml:12)`.
    pub label: SafeText,
}

/// The verdict of policy and rules on a permission request.
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
    /// Why a rule asks or could not decide; `None` if no rule applied.
    Ask {
        reason: Option<SafeText>,
        /// Bounded by the host.
        strays: Vec<Stray>,
    },
}

impl Verdict {
    /// A question without paths outside the agent's reach.
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
    /// Where it leads, if the path itself does not say so.
    pub leads: Option<SafeText>,
    /// What is wrong with it, to follow "it".
    pub why: SafeText,
}

/// The person's consent to a request of fs/* or terminal/*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consent {
    /// Not asked yet: roots and rules decide.
    None,
    Once,
    /// Also for the file's folder, for the rest of this session.
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
