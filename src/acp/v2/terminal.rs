//! Terminals of the agent's own: `terminal_update`, `terminal_output_chunk` (V2-UPD-05).

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Deserialize;

use super::read::{
    Member, Misfit, is_marked, need, object, object_in, patch, patched, present, read_as, string,
};
use crate::model::{AgentEvent, ExitStatus, Meta, TerminalId, TerminalPatch, TerminalSize};

/// Padded or not: what is meant is clear.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Each chunk is one whole piece of base64; the characters in it may not be whole.
fn bytes(base64: &str) -> Option<Vec<u8>> {
    BASE64.decode(base64).ok()
}

pub fn update(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        terminal_id: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        command: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        cwd: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        output: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        exit_status: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        size: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        capabilities: Member<'a>,
        #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
        meta: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let id = need(update.terminal_id)?;
    Ok(AgentEvent::Terminal(Box::new(TerminalPatch {
        command: patch(update.command, string),
        cwd: patch(update.cwd, string),
        output: patch(update.output, output),
        exit: patch(update.exit_status, exit),
        size: patch(update.size, size),
        cancel: patch(update.capabilities, cancel),
        meta: patched(update.meta, &Meta::default()),
        ..TerminalPatch::new(TerminalId::new(id.as_str()))
    })))
}

pub fn chunk(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Chunk<'a> {
        #[serde(borrow)]
        terminal_id: Member<'a>,
        #[serde(borrow)]
        data: Member<'a>,
    }
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.terminal_id)?;
    Ok(AgentEvent::TerminalOutput {
        id: TerminalId::new(id.as_str()),
        data: bytes(need(chunk.data)?.as_str()).ok_or(Misfit)?,
    })
}

fn output(member: Member<'_>) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Output<'a> {
        #[serde(borrow)]
        data: Member<'a>,
    }
    let output: Output<'_> = object_in(member)?;
    bytes(need(output.data).ok()?.as_str())
}

/// An object says that it has ended, even with nothing in it.
fn exit(member: Member<'_>) -> Option<ExitStatus> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Exit<'a> {
        #[serde(borrow)]
        exit_code: Member<'a>,
        #[serde(borrow)]
        signal: Member<'a>,
    }
    let exit: Exit<'_> = object_in(member)?;
    Some(ExitStatus {
        code: read_as(exit.exit_code),
        signal: string(exit.signal),
    })
}

fn size(member: Member<'_>) -> Option<TerminalSize> {
    #[derive(Deserialize)]
    struct Size {
        cols: u16,
        rows: u16,
    }
    let size: Size = object_in(member)?;
    (size.cols > 0 && size.rows > 0).then_some(TerminalSize {
        columns: size.cols,
        rows: size.rows,
    })
}

/// Whether it can be cancelled by itself: of a terminal or of a tool call (V2-CAN-02).
pub fn cancel(member: Member<'_>) -> Option<bool> {
    #[derive(Deserialize)]
    struct Capabilities<'a> {
        #[serde(borrow)]
        cancel: Member<'a>,
    }
    let capabilities: Capabilities<'_> = object_in(member)?;
    Some(is_marked(capabilities.cancel))
}
