//! The answer to `providers/list` (V1-AUTH-12). Items without an id are skipped.

use super::view::{Misfit, Pass, members, need_as, need_object, object};
use crate::model::{Provider, ProviderRoute};

members!(struct Listed {
    providers,
});

members!(struct Info {
    provider_id,
    supported,
    required,
    current,
});

members!(struct Current {
    api_type,
    base_url,
});

/// `None` where there is no list.
pub fn providers(result: &str) -> Result<Option<Vec<Provider>>, Misfit> {
    let listed: Listed<'_> = object(result).ok_or(Misfit)?;
    let loose = Pass::Loose;
    let text = |member| loose.read::<String>(member);
    loose.list(listed.providers, |raw| {
        let info: Info<'_> = need_object(Some(raw))?;
        let current = loose.object::<Current<'_>>(info.current)?;
        let protocols = loose.list(info.supported, |raw| text(Some(raw)))?;
        Ok(Some(Provider {
            id: need_as(info.provider_id)?,
            protocols: protocols.unwrap_or_default(),
            // What cannot be read might be: it is not disabled by mistake.
            required: loose.read(info.required)?.unwrap_or(true),
            current: match current {
                Some(current) => Some(ProviderRoute {
                    protocol: text(current.api_type)?.unwrap_or_default(),
                    base_url: text(current.base_url)?.unwrap_or_default(),
                }),
                None => None,
            },
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-AUTH-12
    #[test]
    fn odd_items_cost_only_themselves_and_what_is_unclear_is_required() {
        let listed = providers(
            r#"{"providers":[
                {"providerId":"main","supported":["anthropic",7,"_own"],"required":false,
                 "current":{"apiType":"anthropic","baseUrl":"https://llm.example"}},
                {"supported":[],"required":true},
                {"providerId":"off","supported":[],"required":"perhaps","current":null}
            ]}"#,
        )
        .expect("a list");
        assert_eq!(
            listed,
            Some(vec![
                Provider {
                    id: "main".to_owned(),
                    protocols: vec!["anthropic".to_owned(), "_own".to_owned()],
                    required: false,
                    current: Some(ProviderRoute {
                        protocol: "anthropic".to_owned(),
                        base_url: "https://llm.example".to_owned(),
                    }),
                },
                Provider {
                    id: "off".to_owned(),
                    protocols: Vec::new(),
                    required: true,
                    current: None,
                },
            ])
        );
    }
}
