//! What the agent asks the person: a form to fill in, a page to open (V1-ELI).

use crate::{
    model::{SessionId, SessionKey, ToolCallId},
    text::SafeText,
};

/// `elicitation/create`.
#[derive(Clone, PartialEq, Debug)]
pub struct Elicitation {
    pub scope: ElicitationScope,
    pub message: SafeText,
    pub mode: ElicitationMode,
}

/// What it belongs to (V1-ELI-02).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ElicitationScope {
    Session {
        session: SessionId,
        tool_call: Option<ToolCallId>,
    },
    /// A request of ours, by its id as JSON text; possibly before there is a session, as during a
    /// sign-in.
    Request {
        id: String,
        /// Whose request that is; `None` if it is not open.
        caller: Option<SessionKey>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum ElicitationMode {
    Form(Form),
    /// `url` is raw: judged before it is shown or opened.
    Url {
        id: ElicitationId,
        url: String,
    },
}

/// Names a page for `elicitation/complete`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElicitationId(pub String);

/// `requestedSchema`: one object of plain values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Form {
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    /// In the agent's order (V1-ELI-12).
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Raw: a member of the answer.
    pub key: String,
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    pub required: bool,
    pub kind: FieldKind,
}

impl Field {
    /// Its label.
    pub fn label(&self) -> SafeText {
        match &self.title {
            Some(title) => title.clone(),
            None => SafeText::line(&self.key),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum FieldKind {
    /// Free text (V1-ELI-06).
    Text(TextField),
    /// One of several (V1-ELI-07).
    Select {
        options: Vec<FieldOption>,
        /// An index into the options.
        default: Option<usize>,
    },
    /// Bounds are inclusive (V1-ELI-08).
    Number(Bounds<f64>),
    Integer(Bounds<i64>),
    /// V1-ELI-09
    Boolean {
        default: Option<bool>,
    },
    /// Some of several (V1-ELI-10).
    MultiSelect {
        options: Vec<FieldOption>,
        min_items: Option<u64>,
        max_items: Option<u64>,
        /// Indexes into the options.
        default: Vec<usize>,
    },
    /// An unknown type: never drawn as a control (V1-ELI-11).
    Unknown(SafeText),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextField {
    /// In characters.
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    /// An ECMA regular expression.
    pub pattern: Option<String>,
    /// Unknown formats are not checked.
    pub format: Option<TextFormat>,
    pub default: Option<String>,
    /// Lines of a name and a secret, which is not shown. Only in our own forms: an agent may not
    /// ask for secrets (V1-ELI-13).
    pub secret: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bounds<T> {
    pub minimum: Option<T>,
    pub maximum: Option<T>,
    pub default: Option<T>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldOption {
    /// `const`, raw: what is sent.
    pub value: String,
    pub title: SafeText,
    pub description: Option<SafeText>,
}

/// What the person filled in for one field.
#[derive(Clone, PartialEq, Debug)]
pub enum FormValue {
    Text(String),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    Texts(Vec<String>),
}

/// The outcome of an elicitation (V1-ELI-04).
#[derive(Clone, PartialEq, Debug)]
pub enum ElicitationAnswer {
    /// With the values of a form; for a page it means consent to open it, and has none (V1-ELI-17).
    Accept(Option<Vec<(String, FormValue)>>),
    /// The person declined.
    Decline,
    /// The person did not answer: dismissed, or no longer asked.
    Cancel,
}
