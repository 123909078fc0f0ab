use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

#[test]
fn members_are_told_by_their_names_in_any_case() {
    for secret in [
        "DB_PASS",
        "MYSQL_PWD",
        "api_key",
        "apiKey",
        "API-KEY",
        "apikey",
        "x-api-key",
        "APIKey",
        "openaiApiKey",
        "token",
        "access_token",
        "accessToken",
        "accesstoken",
        "session_token",
        "sessionToken",
        "secret",
        "client_secret",
        "clientSecret",
        "password",
        "dbPassword",
        "passwd",
        "authorization",
        "Proxy-Authorization",
        "bearer",
        "credential",
        "credentials",
        "cookie",
        "Set-Cookie",
        "private_key",
        "privateKey",
        "PRIVATE_KEY_ID",
        "aws_access_key_id",
        "jwt",
        "signingKey",
        "deploy_key",
        "GITHUB_TOKEN",
    ] {
        assert!(is_secret_member(secret), "{secret}");
    }
    for plain in [
        "key",
        "keyboard",
        "monkey",
        "tokenize",
        "tokens",
        "inputTokens",
        "total_tokens",
        "tokenCount",
        "token_limit",
        "token_type",
        "primary_key",
        "publicKey",
        "sessionId",
        "sessionUpdate",
        "optionId",
        "author",
        "authMethods",
        "command",
        "title",
        "keyCode",
        "passed",
        "bypass",
        "secretary",
        "required_keys",
        "sortedKeys",
        "idempotencyKey",
        "modifier_key",
        "progressToken",
        "nextPageToken",
        "token_refresh",
        "tokenExpiresAt",
        "token_file",
        "password_reset",
        "passwordLength",
        "credentials_path",
        "cookiePolicy",
    ] {
        assert!(!is_secret_member(plain), "{plain}");
    }
}

#[test]
fn variables_are_told_by_their_words() {
    for secret in [
        "OPENAI_API_KEY",
        "APIKEY",
        "PGPASSWORD",
        "DB_PASS",
        "MYSQL_PWD",
        "GITHUB_TOKEN",
        "AUTHTOKEN",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "CLIENT_SECRET",
        "GOOGLE_CREDENTIALS",
        "API_KEYS",
        "API_KEY2",
        "CONTEXT7_API_KEY",
        "API key",
        "Your password",
        "accessToken",
    ] {
        assert!(is_secret_name(secret), "{secret}");
    }
    for plain in [
        "PATH",
        "PWD",
        "OLDPWD",
        "KEYBOARD",
        "XKB_KEYMAP",
        "MONKEY",
        "HOTKEYS",
        "TOKENIZERS_PARALLELISM",
        "MAX_TOKENS",
        "MAX_OUTPUT_TOKENS",
        "TOKEN_LIMIT",
        "SSH_KEY_PATH",
        "TOKEN_FILE",
        "PASSWORD_LENGTH",
        "SECRETARY",
        "Tokenizer",
    ] {
        assert!(!is_secret_name(plain), "{plain}");
    }
}

// A log is read for what was said: sentences and code about secrets are none.
#[test]
fn sentences_and_code_about_secrets_stay() {
    for text in [
        "Password: enter the one that you chose.",
        "the token: it is made by the server",
        "- **Secret**: never put this into the repository",
        "fix(password-reset): send the mail once",
        "password-reset: send the mail once",
        "session-token: look for it in both places",
        "Authorization: the server checks whether somebody may",
        "Cookie: a short note on cookies",
        "credentials: see the chapter about them",
        "pub struct Login { token: String, password: Option<String> }",
        "def login(token: str, password: bytes, api_key: str):",
        "const apiKey: string = process.env.API_KEY;",
        "connect(token=get_token(), password=self.password, api_key=os.environ[\"X\"])",
        "TOKEN=$(cat token.txt) make",
        "docker run -u 1000:1000 --user 0:0 image",
        "TOKENIZERS_PARALLELISM=false MAX_TOKENS=4096 KEYMAP=us make",
        "let required_keys=5; cache_key=user-1",
        "Bearer authentication-scheme, the bearer of bad-news-to-everybody",
        "{password: true, token: null, secret: undefined}",
        "tokens: 12, total tokens: 40",
    ] {
        assert_eq!(mask(text), text);
    }
    for (text, masked) in [
        ("your new password: swordfish", "your new password: ***"),
        ("password: swordfish\nuser: me", "password: ***\nuser: me"),
        (
            "the token: ghp_0123 is new here",
            "the token: *** is new here",
        ),
        ("password: \"enter the one\"", "password: \"***\""),
        (
            "password=swordfish make all tests",
            "password=*** make all tests",
        ),
        ("curl -u admin:admin h", "curl -u admin:*** h"),
        ("Authorization: Basic dXNlcg and more", "Authorization: ***"),
    ] {
        assert_eq!(mask(text), masked);
    }
}

#[test]
fn text_is_masked_by_what_stands_before() {
    for (text, masked) in [
        (
            "git clone https://me:hunter2@host/x.git",
            "git clone https://me:***@host/x.git",
        ),
        (
            "https://ghp_0123456789abcdef@github.com/x",
            "https://***@github.com/x",
        ),
        (
            "https://me@host/x and http://host:80/a@b",
            "https://me@host/x and http://host:80/a@b",
        ),
        (
            "postgres://u:p@ss@db:5432/x?sslmode=on",
            "postgres://u:***@db:5432/x?sslmode=on",
        ),
        (
            "curl 'https://h/p?a=1&access_token=s3&b=2#key=s4' x",
            "curl 'https://h/p?a=1&access_token=***&b=2#key=***' x",
        ),
        (
            "https://h/?X-Amz-Signature=00&code=11&codec=2",
            "https://h/?X-Amz-Signature=***&code=***&codec=2",
        ),
        (
            "https://h/?a\\u0026sig=00\\u0026b=1",
            "https://h/?a\\u0026sig=***\\u0026b=1",
        ),
        (
            "x --api-key s1 --token=s2 --keys a -v",
            "x --api-key *** --token=*** --keys a -v",
        ),
        (
            "x --api-key \"s 1\" --password='s 2' y",
            "x --api-key \"***\" --password='***' y",
        ),
        (
            "curl -u me:s1 --user 'me:s2' -u me h",
            "curl -u me:*** --user 'me:***' -u me h",
        ),
        (
            "OPENAI_API_KEY=s1 PATH=/bin make X=1",
            "OPENAI_API_KEY=*** PATH=/bin make X=1",
        ),
        (
            "export TOKEN=\"s 1\"; echo ok",
            "export TOKEN=\"***\"; echo ok",
        ),
        (
            "curl -H 'Authorization: Bearer s1 x' h",
            "curl -H 'Authorization: ***' h",
        ),
        ("Cookie: a=s1; b=s2\nAccept: y", "Cookie: ***\nAccept: y"),
        ("with Bearer abcdefg1 in it", "with Bearer *** in it"),
        (
            "the bearer of news, forbearer tokens",
            "the bearer of news, forbearer tokens",
        ),
        (
            "curl -d '{\"api_key\":\"s1\", \"a\": \"b\"}'",
            "curl -d '{\"api_key\":\"***\", \"a\": \"b\"}'",
        ),
        (
            "sh -c \"x {\\\"password\\\": \\\"s1\\\"}\"",
            "sh -c \"x {\\\"password\\\": \\\"***\\\"}\"",
        ),
        (
            "mysql -u me -ps1 db; mysqldump -p's 2' db | ls -px; mysql -p db -p$PW",
            "mysql -u me -p*** db; mysqldump -p'***' db | ls -px; mysql -p db -p$PW",
        ),
        ("MY_PW=s1 x", "MY_PW=*** x"),
        ("password: s1\ntitle: x", "password: ***\ntitle: x"),
        (
            "--token=${TOKEN} KEY_A=$KEY_B",
            "--token=${TOKEN} KEY_A=$KEY_B",
        ),
        ("é=ü — a=b, x:y --", "é=ü — a=b, x:y --"),
        ("", ""),
    ] {
        assert_eq!(mask(text), masked, "{text}");
        assert_eq!(mask(masked), masked, "a second time: {text}");
    }
}

/// Put together here, so that no scanner takes them for ones that leaked.
fn well_known() -> Vec<String> {
    let own = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let mut all: Vec<String> = [
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "npm_",
        "xoxb-",
        "xoxp-",
        "xoxa-",
        "xoxr-",
        "xoxs-",
        "sk-ant-",
        "sk-proj-",
        "sk-",
        "AIza",
    ]
    .iter()
    .map(|prefix| format!("{prefix}{own}"))
    .collect();
    all.push(format!("AKIA{}", "ABCDEFGH12345678"));
    all.push(format!("eyJ{own}.eyJ{own}.{own}"));
    all
}

#[test]
fn well_known_tokens_are_masked_wherever_they_stand() {
    for token in well_known() {
        for (before, behind) in [
            ("", ""),
            ("it is ", " now"),
            ("(", ")."),
            ("é", "é"),
            ("'", "'\n"),
            ("a\\n", "\\nb"),
        ] {
            let text = format!("{before}{token}{behind}");
            assert_eq!(mask(&text), format!("{before}***{behind}"));
        }
        let said = json!({ "text": format!("use {token}, please") });
        let masked = json!({ "text": "use ***, please" });
        assert_eq!(mask_json(&said.to_string()), masked.to_string());
    }
    for kind in ["", "RSA ", "OPENSSH "] {
        let (begin, end) = (
            format!("-----BEGIN {kind}PRIVATE KEY-----"),
            format!("-----END {kind}PRIVATE KEY-----"),
        );
        let text = format!("a\n{begin}\nMIIabc\ndef=\n{end}\nb");
        assert_eq!(mask(&text), format!("a\n{begin}***{end}\nb"));
        assert_eq!(mask(&format!("{begin}\nMIIabc")), format!("{begin}***"));
    }
}

#[test]
fn what_only_begins_like_a_token_stays() {
    for text in [
        "ghp_ and gho_short",
        "the prefix `sk-ant-` or sk-proj-…",
        "sk-learn-is-a-library-for-machine-learning",
        "sk-2-columns-wide-layout-in-the-sidebar",
        "npm_config_registry npm_package_version_is_a_variable_of_npm_1",
        "xoxb-token",
        "task-a1B2c3D4e5F6g7H8i9J0k1L2m3N4",
        "AKIA is short, AKIAABCDEFGH1234567890 is long",
        "eyJhbGciOi.no.three",
        "AIzaShort1",
        "-----BEGIN CERTIFICATE-----\nMIIabc\n-----END CERTIFICATE-----",
        "text.contains(\"-----BEGIN PRIVATE KEY-----\") && x",
        "it begins with -----BEGIN PRIVATE KEY----- and goes on",
        "grep -r 'BEGIN RSA PRIVATE KEY' .",
        "3f786850e387550fdab836ed7e6dc881de23001b",
    ] {
        assert_eq!(mask(text), text);
    }
}

/// If what follows were looked at once more for each beginning, this would take hours: that it ends
/// is the test.
#[test]
fn a_long_line_full_of_beginnings_comes_to_an_end() {
    for part in [
        "sk-",
        "sk- ",
        "eyJa ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "ghp_ ",
        "a",
    ] {
        let text = part.repeat((1 << 20) / part.len());
        assert!(mask(&text).len() <= 2 * text.len(), "{part}");
    }
}

#[test]
fn json_is_masked_by_names_and_places() {
    for (said, masked) in [
        (
            json!({"params": {"env": [{"name": "A", "value": "s1"}, {"name": "B", "value": ""}]}}),
            json!({"params": {"env": [{"name": "A", "value": "***"}, {"name": "B", "value": ""}]}}),
        ),
        (
            json!({"env": {"A": "s1", "B": 2, "C": null}, "envVars": ["A=s1", "B"], "headers": ["A: s1"]}),
            json!({"env": {"A": "***", "B": "***", "C": null}, "envVars": ["A=***", "B"], "headers": ["A:***"]}),
        ),
        (
            json!({"env": [["A", "s1"]]}),
            json!({"env": [["***", "***"]]}),
        ),
        (
            json!({"a": [{"apiKey": "s1", "n": 1}], "credentials": {"user": "u", "all": ["s2", 3, true]}}),
            json!({"a": [{"apiKey": "***", "n": 1}], "credentials": {"user": "***", "all": ["***", "***", true]}}),
        ),
        (
            json!({"usage": {"inputTokens": 5, "tokens": [1, 2]}, "tokens": ["s1"]}),
            json!({"usage": {"inputTokens": 5, "tokens": [1, 2]}, "tokens": ["***"]}),
        ),
        (
            json!([{"name": "MY_TOKEN", "value": "s1"}, {"name": "theme", "value": "dark"}]),
            json!([{"name": "MY_TOKEN", "value": "***"}, {"name": "theme", "value": "dark"}]),
        ),
        (
            json!({"command": "x", "args": ["--token", "s1", "--api-key=s2", "-v", "y"]}),
            json!({"command": "x", "args": ["--token", "***", "--api-key=***", "-v", "y"]}),
        ),
        (
            json!({"text": "{\"password\":\"s1\",\"a\":\"b\"}", "url": "https://u:s2@h/?token=s3"}),
            json!({"text": "{\"password\":\"***\",\"a\":\"b\"}", "url": "https://u:***@h/?token=***"}),
        ),
        (
            json!({"result": {"action": "accept", "content": {"pin": 1234, "all": ["s1"], "yes": true}}}),
            json!({"result": {"action": "accept", "content": {"pin": "***", "all": ["***"], "yes": true}}}),
        ),
        (
            json!({"result": {"action": "decline", "content": {"x": "y"}}}),
            json!({"result": {"action": "decline", "content": {"x": "y"}}}),
        ),
    ] {
        let written = mask_json(&said.to_string());
        assert_eq!(
            serde_json::from_str::<Value>(&written).ok(),
            Some(masked),
            "{said}"
        );
    }
    // In the other order, and spelled with escapes.
    for (said, masked) in [
        (
            r#"{"value": "s1", "name": "API_KEY"}"#,
            r#"{"value": "***", "name": "API_KEY"}"#,
        ),
        (
            r#"{"value":{"a":["s1"]},"name":"API_KEY"}"#,
            r#"{"value":{"a":["***"]},"name":"API_KEY"}"#,
        ),
        (
            r#"{"result":{"content":{"a":1},"action":"accept"}}"#,
            r#"{"result":{"content":{"a":"***"},"action":"accept"}}"#,
        ),
        (r#"{"api\u005fkey":"s1"}"#, r#"{"api\u005fkey":"***"}"#),
        (
            r#"{"u":"https:\/\/a:s1@h\/","h":"\ud800 x?a\u0026token=s1"}"#,
            r#"{"u":"https://a:***@h/","h":"� x?a&token=***"}"#,
        ),
        (r#"{"\ud800":"a\nb\u0000"}"#, r#"{"\ud800":"a\nb\u0000"}"#),
    ] {
        assert_eq!(mask_json(said), masked);
    }
}

#[test]
fn below_the_levels_that_are_looked_at_everything_is_masked() {
    for depth in [255, 256, 257, 5_000] {
        let text = format!("{}\"plain\",7{}", "[".repeat(depth), "]".repeat(depth));
        let masked = mask_json(&text);
        let expected = if depth <= 256 {
            "\"plain\",7"
        } else {
            "\"***\",\"***\""
        };
        assert!(masked.contains(expected), "{depth}");
        assert_eq!(masked.matches('[').count(), depth);
        assert_eq!(masked.matches(']').count(), depth);
    }
}

#[test]
fn settings_are_masked_but_for_their_variables() {
    assert_eq!(setting("API_KEY", "s1", false), "***");
    assert_eq!(setting("API_KEY", "${KEY}", false), "${KEY}");
    assert_eq!(
        setting("Authorization", "Bearer ${KEY}", true),
        "Bearer ${KEY}"
    );
    assert_eq!(setting("Authorization", "Bearer s1 ${KEY}", true), "***");
    assert_eq!(setting("PLAIN", "x", true), "***");
    assert_eq!(setting("PLAIN", "x", false), "x");
    assert_eq!(setting("url", "https://u:s1@h", false), "https://u:***@h");
    assert_eq!(
        mask_words(["x", "--token", "s1", "--secret", "-v"]),
        ["x", "--token", "***", "--secret", "-v"]
    );
}

/// Needles that nothing else has, with what JSON has to escape.
fn secret() -> impl Strategy<Value = String> {
    "S3CR3T[a-zA-Z0-9]{8,40}"
}

fn secret_name() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        vec!["api", "key"],
        vec!["token"],
        vec!["access", "token"],
        vec!["session", "token"],
        vec!["secret"],
        vec!["client", "secret"],
        vec!["password"],
        vec!["authorization"],
        vec!["bearer"],
        vec!["credential"],
        vec!["cookie"],
        vec!["private", "key"],
    ]);
    (words, 0..5usize).prop_map(|(words, case)| {
        let capital = |word: &&str| word[..1].to_uppercase() + &word[1..];
        match case {
            0 => words.join("_"),
            1 => words.join("-"),
            2 => words[0].to_owned() + &words[1..].iter().map(capital).collect::<String>(),
            3 => words.iter().map(capital).collect::<String>(),
            _ => words.join("_").to_uppercase(),
        }
    })
}

/// A text that holds the secret in one of the places that are known.
fn telling(secret: String) -> impl Strategy<Value = String> {
    let texts = vec![
        format!("https://user:{secret}@example.com/x"),
        format!("postgres://user:{secret}@example.com:5432/x?a=b"),
        format!("https://example.com/x?a=b&token={secret}&c=d"),
        format!("https://example.com/x?key={secret}#y"),
        format!("https://example.com/x?sig={secret}"),
        format!("https://example.com/cb?code={secret}&state=1"),
        format!("https://example.com/x#access_token={secret}"),
        format!("curl -s 'https://u:{secret}@example.com' | sh"),
        format!("tool --api-key {secret} --verbose"),
        format!("tool --api-key={secret}"),
        format!("tool --password '{secret}'"),
        format!("API_TOKEN={secret} tool"),
        format!("curl -H \"Authorization: Bearer {secret}\" https://example.com"),
        format!("{{\"a\": {{\"apiKey\": \"{secret}\"}}}}"),
    ];
    (
        prop::sample::select(texts),
        "(é\n|[a-z ]{0,6} )?",
        "( [a-z ]{0,6}|\n\"x)?",
    )
        .prop_map(|(text, before, behind)| format!("{before}{text}{behind}"))
}

fn plain() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4)
                .prop_map(|map: BTreeMap<String, Value>| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A value with the secret somewhere in it.
fn holding(secret: String) -> impl Strategy<Value = Value> {
    let text = Value::from(secret.clone());
    let of_name = (
        secret_name(),
        prop::sample::select(vec![
            text.clone(),
            json!([text.clone(), 1]),
            json!({"x": {"y": text.clone()}}),
        ]),
    );
    let of_name = of_name.prop_map(|(name, value)| json!({ name: value }));
    let pair = prop::sample::select(vec![
        json!({"env": [{"name": "PLAIN", "value": text.clone()}]}),
        json!({"env": {"PLAIN": text.clone()}}),
        json!({"headers": [{"name": "X", "value": text.clone()}]}),
        json!({"mcpServers": [{"name": "s", "env": [{"name": "A", "value": text.clone()}]}]}),
        json!({"args": ["--token", text.clone()]}),
        json!({"name": "DEPLOY_KEY", "value": text}),
    ]);
    let leaf = prop_oneof![of_name, pair, telling(secret).prop_map(Value::from)];
    (
        leaf,
        prop::collection::vec(("[a-z]{1,5}", plain(), any::<bool>()), 0..5),
    )
        .prop_map(|(leaf, around)| {
            around
                .into_iter()
                .fold(leaf, |inner, (name, other, list)| match list {
                    true => json!([other.clone(), inner, other]),
                    false => {
                        let mut map = Map::new();
                        map.insert("other".into(), other);
                        map.insert(name, inner);
                        map.into()
                    }
                })
        })
}

/// Objects, their names and lists are the same; so is what is no text or number.
fn same_shape(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.values().zip(b.values()).all(|(a, b)| same_shape(a, b))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
        }
        (Value::String(_) | Value::Number(_), Value::String(b)) => !b.is_empty() || a == "",
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn no_secret_is_left_in_json_of_the_same_shape(
        (secret, value) in secret().prop_flat_map(|s| (Just(s.clone()), holding(s))),
        pretty in any::<bool>(),
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        prop_assert!(text.contains(&secret));
        let masked = mask_json(&text);
        prop_assert!(!masked.contains(&secret), "{masked}");
        let read: Value = serde_json::from_str(&masked).unwrap();
        prop_assert!(same_shape(&value, &read), "{value}\n{read}");
        prop_assert_eq!(mask_json(&masked), masked);
    }

    #[test]
    fn no_secret_is_left_in_text(
        (secret, text) in secret().prop_flat_map(|s| (Just(s.clone()), telling(s))),
    ) {
        prop_assert!(!mask(&text).contains(&secret), "{text}");
    }

    #[test]
    fn sentences_stay(
        name in prop::sample::select(vec!["password", "Token", "secret", "api_key", "Authorization", "Cookie"]),
        sentence in prop::collection::vec("[a-z]{1,12}", 3..9),
    ) {
        prop_assume!(!["bearer", "basic", "digest", "token", "negotiate"].contains(&&*sentence[0]));
        let text = format!("the {name}: {}.", sentence.join(" "));
        prop_assert_eq!(mask(&text), &*text);
    }

    #[test]
    fn words_and_names_stay(words in prop::collection::vec("((sk|npm|task|ghp|gho)[-_])?[a-z0-9]{1,9}([-_.][a-z0-9]{1,9}){0,4}", 1..12)) {
        prop_assume!(!words.iter().any(|word| is_secret_member(word) || word.ends_with("earer")));
        let text = words.join(" ");
        prop_assert_eq!(mask(&text), &*text);
    }

    #[test]
    fn any_json_stays_json(value in plain()) {
        let masked = mask_json(&value.to_string());
        let read: Value = serde_json::from_str(&masked).unwrap();
        prop_assert!(same_shape(&value, &read), "{value}\n{read}");
    }

    #[test]
    fn any_text_is_taken(text in "[-a-z:=@/\"' \\\\{}é\n&?]{0,60}") {
        let _ = mask(&text);
        let _ = mask_json(&text);
    }
}
