import { MAX_ARTIFACT_BYTES, MAX_TEXT_ARTIFACT_BYTES } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { bytesIn, fitsInline, preview } from './bound.ts';

/** An event that is ready but for a text that may be too long for it. */
export interface Draft {
  event: SessionEvent;
  /** The whole text, or where in the sandbox it is; null when the event has all of it. */
  overflow: Overflow | null;
}

export interface Overflow {
  name: string;
  text: string;
  /** Where the agent left more than it said. */
  path: string | null;
}

/** Keeps long outputs, by a name that is the same when it is stored again. Returns where it is found. */
export type ArtifactSink = (name: string, bytes: Uint8Array) => Promise<string>;

export function draft(event: SessionEvent, overflow: Overflow | null = null): Draft {
  return { event, overflow };
}

/**
 * Stores what is too long and links it. An output that cannot be had or stored is no reason to lose the event; nor is one
 * that may not be stored any more.
 */
export async function settle(
  { event, overflow }: Draft,
  readOutput: (path: string) => Promise<string>,
  artifacts: ArtifactSink,
  admits: (bytes: number) => boolean = () => true,
): Promise<SessionEvent> {
  if (overflow === null) return event;
  const whole =
    overflow.path === null
      ? overflow.text
      : await readOutput(overflow.path).catch(() => overflow.text);
  if (fitsInline(whole)) return withText(event, whole, bytesIn(whole), null);
  const bytes = new TextEncoder().encode(whole);
  const kept = bytes.subarray(0, longestOf(event));
  const link = admits(kept.length) ? await artifacts(overflow.name, kept).catch(() => null) : null;
  return withText(event, preview(whole), bytes.length, link);
}

function longestOf({ type }: SessionEvent): number {
  return type === 'text.finished' ? MAX_TEXT_ARTIFACT_BYTES : MAX_ARTIFACT_BYTES;
}

function withText(
  event: SessionEvent,
  text: string,
  outputBytes: number,
  link: string | null,
): SessionEvent {
  switch (event.type) {
    case 'tool.finished':
      return { ...event, data: { ...event.data, output: text, outputBytes, link } };
    case 'text.finished':
      return { ...event, data: { ...event.data, text, link } };
    default:
      return event;
  }
}
