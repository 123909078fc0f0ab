//! What is v1 already is left alone: messages made from the protocol's schema.

use super::*;

/// Makes what a schema allows, as far as v1's uses it.
struct Maker<'a> {
    schema: &'a Value,
    seed: u64,
}

impl Maker<'_> {
    /// splitmix64
    fn roll(&mut self, sides: usize) -> usize {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).expect("small")
    }

    fn defined(&mut self, name: &str, depth: usize) -> Value {
        let node = self.schema["$defs"][name].clone();
        self.make(&node, depth)
    }

    fn make(&mut self, node: &Value, depth: usize) -> Value {
        if let Some(reference) = node["$ref"].as_str() {
            let name = reference.rsplit('/').next().expect("a name");
            return self.defined(name, depth);
        }
        if let Some(constant) = node.get("const") {
            return constant.clone();
        }
        if let Some(values) = node["enum"].as_array() {
            return values[self.roll(values.len())].clone();
        }
        let mut made = Value::Null;
        for key in ["oneOf", "anyOf"] {
            if let Some(choices) = node[key].as_array() {
                let choice = choices[self.roll(choices.len())].clone();
                made = merged(made, self.make(&choice, depth));
            }
        }
        for part in node["allOf"].as_array().into_iter().flatten() {
            made = merged(made, self.make(part, depth));
        }
        let kind = match &node["type"] {
            Value::Array(kinds) => kinds[self.roll(kinds.len())].as_str(),
            kind => kind.as_str(),
        };
        let own = match kind {
            Some("object") => self.object(node, depth),
            Some("array") if depth > 8 => json!([]),
            Some("array") => {
                let count = self.roll(3);
                (0..count)
                    .map(|_| self.make(&node["items"], depth + 1))
                    .collect()
            }
            Some("string") => {
                let words = ["text", "/p/a.rs", "", "error", "s", "default"];
                words[self.roll(words.len())].into()
            }
            Some("integer") => self.roll(5).into(),
            Some("number") => json!(0.5),
            Some("boolean") => (self.roll(2) == 0).into(),
            _ => return made,
        };
        merged(made, own)
    }

    fn object(&mut self, node: &Value, depth: usize) -> Value {
        let mut object = Object::new();
        let required = node["required"].as_array().cloned().unwrap_or_default();
        for (key, member) in node["properties"].as_object().into_iter().flatten() {
            let is_required = required.iter().any(|name| name == key);
            if is_required || (depth < 8 && self.roll(2) == 0) {
                object.insert(key.clone(), self.make(member, depth + 1));
            }
        }
        object.into()
    }
}

fn merged(mut one: Value, other: Value) -> Value {
    match (&mut one, other) {
        (Value::Object(one), Value::Object(other)) => one.extend(other),
        (_, Value::Null) => {}
        (one, other) => *one = other,
    }
    one
}

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/v1.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    serde_json::from_str(&text).expect("JSON")
}

fn results() -> Vec<(&'static str, CallTag)> {
    let session = || SessionId::new("s");
    vec![
        ("InitializeResponse", CallTag::Initialize),
        ("NewSessionResponse", CallTag::NewSession),
        (
            "LoadSessionResponse",
            CallTag::LoadSession { id: session() },
        ),
        (
            "ResumeSessionResponse",
            CallTag::ResumeSession { id: session() },
        ),
        ("PromptResponse", CallTag::Prompt { session: session() }),
        (
            "SetSessionConfigOptionResponse",
            CallTag::SetConfigOption {
                session: session(),
                option: "m".to_owned(),
                value: OptionValue::Id("x".to_owned()),
            },
        ),
    ]
}

#[test]
fn what_the_schema_makes_is_left_as_it_is() {
    let schema = schema();
    let words: Vec<&str> = Dialect::words().collect();
    for seed in 0..3_000_u64 {
        let mut maker = Maker {
            schema: &schema,
            seed,
        };
        let pick = maker.roll(words.len());
        let word = words[pick];
        let dialects = Dialects::new(Dialect::of_word(word).expect("a word"));
        dialects.sent(&CallTag::LoadSession {
            id: SessionId::new("s"),
        });
        let mut update = maker.defined("SessionNotification", 0);
        same(word, &mut update, |update| {
            dialects.incoming(Incoming::Update(update))
        });
        for (name, method) in [
            ("RequestPermissionRequest", ClientMethod::RequestPermission),
            ("ReadTextFileRequest", ClientMethod::ReadTextFile),
            ("WriteTextFileRequest", ClientMethod::WriteTextFile),
            ("CreateTerminalRequest", ClientMethod::TerminalCreate),
        ] {
            let mut params = maker.defined(name, 0);
            same(word, &mut params, |params| {
                dialects.incoming(Incoming::Request(method, params))
            });
        }
        for (name, call) in results() {
            // D-02 and D-20 give an agent capabilities that it does not name.
            if call == CallTag::Initialize
                && matches!(word, "banjo" | "unstable-resume" | "context-blocks")
            {
                continue;
            }
            let mut result = maker.defined(name, 0);
            same(word, &mut result, |result| {
                dialects.incoming(Incoming::Result(&call, result))
            });
        }
    }
}

fn same(word: &str, value: &mut Value, hear: impl FnOnce(&mut Value) -> Heard) {
    let before = value.clone();
    let heard = hear(value);
    assert_eq!(*value, before, "{word}");
    assert!(!heard.changed && !heard.lost, "{word}: {before}");
    assert!(heard.hints.is_empty(), "{word}: {before}");
}
