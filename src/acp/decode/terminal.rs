//! Terminals of the agent's own: `terminal_update`, `terminal_output_chunk` (V2-UPD-05).

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Deserialize;

use super::{
    meta,
    view::{Member, Misfit, Pass, cancels, need, need_object, object, present},
};
use crate::model::{AgentEvent, ExitStatus, Meta, TerminalId, TerminalPatch, TerminalSize};

/// Padded or not: what is meant is clear.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Each chunk is one whole piece of base64; the characters in it may not be whole.
fn bytes(base64: Member<'_>) -> Result<Vec<u8>, Misfit> {
    BASE64.decode(need(base64)?.as_str()).map_err(|_| Misfit)
}

pub fn update(pass: Pass, update: &str) -> Result<AgentEvent, Misfit> {
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
        command: pass.patch(update.command, |command| pass.string(command))?,
        cwd: pass.patch(update.cwd, |cwd| pass.string(cwd))?,
        output: pass.patch(update.output, output)?,
        exit: pass.patch(update.exit_status, |exit| self::exit(pass, exit))?,
        size: pass.patch(update.size, size)?,
        cancel: pass.patch(update.capabilities, |caps| cancels(pass, caps))?,
        meta: meta::of_entity(pass, update.meta, Meta::default()),
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
        data: bytes(chunk.data)?,
    })
}

fn output(member: Member<'_>) -> Result<Option<Vec<u8>>, Misfit> {
    #[derive(Deserialize)]
    struct Output<'a> {
        #[serde(borrow)]
        data: Member<'a>,
    }
    let output: Output<'_> = need_object(member)?;
    bytes(output.data).map(Some)
}

/// An object says that it has ended, even with nothing in it.
fn exit(pass: Pass, member: Member<'_>) -> Result<Option<ExitStatus>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Exit<'a> {
        #[serde(borrow)]
        exit_code: Member<'a>,
        #[serde(borrow)]
        signal: Member<'a>,
    }
    let Some(exit) = pass.object::<Exit<'_>>(member)? else {
        return Ok(None);
    };
    Ok(Some(ExitStatus {
        code: pass.read(exit.exit_code)?,
        signal: pass.string(exit.signal)?,
    }))
}

fn size(member: Member<'_>) -> Result<Option<TerminalSize>, Misfit> {
    #[derive(Deserialize)]
    struct Size {
        cols: u16,
        rows: u16,
    }
    let size: Size = need_object(member)?;
    Ok((size.cols > 0 && size.rows > 0).then_some(TerminalSize {
        columns: size.cols,
        rows: size.rows,
    }))
}
