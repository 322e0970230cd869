import { fingerprint, sessionEvent } from '@ship/core';
import type { SessionEvent, ToolStatus, TurnId } from '@ship/protocol';
import type { ToolSignal } from '../../agent/port.ts';
import { bytesIn, cut, preview } from './bound.ts';

interface EventOrigin {
  turnId: TurnId;
  subagentId: string | null;
}

const MAX_INPUT_CHARS = 20_000;

export function startedTool(
  origin: EventOrigin,
  { partId, tool, title, input }: ToolSignal,
): SessionEvent {
  return sessionEvent('tool.started', {
    ...origin,
    partId,
    tool: cut(tool, 200),
    title: cut(title, 500),
    input: cut(JSON.stringify(input), MAX_INPUT_CHARS),
  });
}

/** Without a status: the agent ended before the tool did, and only the tool's name is known. */
export function finishedTool(
  origin: EventOrigin,
  partId: string,
  signal: ToolSignal | { tool: string; title: string },
  status: ToolStatus | null,
): SessionEvent {
  const named = { ...origin, partId, tool: cut(signal.tool, 200), title: cut(signal.title, 500) };
  if (!('input' in signal) || status === null) {
    return sessionEvent('tool.finished', {
      ...named,
      status: 'interrupted',
      output: '',
      outputBytes: 0,
      link: null,
      exitCode: null,
      durationMs: 0,
      edits: [],
      diff: '',
      callHash: '',
      // Unique, so that interrupted calls never count as a loop.
      resultHash: fingerprint(partId),
    });
  }
  const { input, output, exitCode, durationMs, edits, diff } = signal;
  return sessionEvent('tool.finished', {
    ...named,
    status,
    output: preview(output),
    outputBytes: bytesIn(output),
    link: null,
    exitCode,
    durationMs,
    edits: edits.slice(0, 100).map(({ path, ...counts }) => ({ ...counts, path: cut(path, 1000) })),
    diff: preview(diff),
    callHash: fingerprint(JSON.stringify([signal.tool, input])),
    resultHash: fingerprint(JSON.stringify([status, output])),
  });
}
