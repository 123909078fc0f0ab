//! The conversation as rows for the normal screen, after the UI has gone.

use std::time::Instant;

use super::Ui;
use crate::{
    session::Session,
    ui::{
        offload::Offload,
        render::{RenderContext, Row},
        transcript::{all_rows, conversation_rows, last_exchange_rows},
    },
    vt::Screens,
};

impl Ui {
    /// The last prompt and its answer, `width` cells wide.
    pub fn last_exchange(&self, session: &Session, screens: &Screens, width: u16) -> Vec<Row> {
        let offload = Offload::immediate();
        let ctx = self.printed(&offload, width);
        last_exchange_rows(session, screens, &self.look.transcript(), &ctx)
    }

    pub fn whole_conversation(&self, session: &Session, screens: &Screens, width: u16) -> Vec<Row> {
        let offload = Offload::immediate();
        let ctx = self.printed(&offload, width);
        conversation_rows(session, screens, &self.look.transcript(), &ctx)
    }

    /// The same without any bound.
    pub fn printed_conversation(
        &self,
        session: &Session,
        screens: &Screens,
        width: u16,
    ) -> Vec<Row> {
        let offload = Offload::immediate();
        let ctx = self.printed(&offload, width);
        all_rows(session, screens, &self.look.transcript(), &ctx)
    }

    /// Nothing is done later: what is printed stays as it is.
    fn printed<'a>(&'a self, offload: &'a Offload, width: u16) -> RenderContext<'a> {
        RenderContext {
            offload,
            ..self.look.render(width, Instant::now())
        }
    }
}
