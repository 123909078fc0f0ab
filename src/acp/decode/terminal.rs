//! Terminals of the agent's own: `terminal_update`, `terminal_output_chunk` (V2-UPD-05).

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Deserialize;

use super::{
    meta,
    view::{Member, Misfit, Pass, cancels, members, need, need_object, object},
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
    members!(struct Update {
        terminal_id,
        command or null,
        cwd or null,
        output or null,
        exit_status or null,
        size or null,
        capabilities or null,
        meta = "_meta" or null,
    });
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
    members!(struct Chunk {
        terminal_id,
        data,
    });
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.terminal_id)?;
    Ok(AgentEvent::TerminalOutput {
        id: TerminalId::new(id.as_str()),
        data: bytes(chunk.data)?,
    })
}

fn output(member: Member<'_>) -> Result<Option<Vec<u8>>, Misfit> {
    members!(struct Output {
        data,
    });
    let output: Output<'_> = need_object(member)?;
    bytes(output.data).map(Some)
}

/// An object says that it has ended, even with nothing in it.
fn exit(pass: Pass, member: Member<'_>) -> Result<Option<ExitStatus>, Misfit> {
    members!(struct Exit {
        exit_code,
        signal,
    });
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
