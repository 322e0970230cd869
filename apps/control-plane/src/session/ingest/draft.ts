import { MAX_ARTIFACT_BYTES, MAX_TEXT_ARTIFACT_BYTES } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { bytesIn, fitsInline, preview } from './bound.ts';

/** An event that is complete except for a text that may be too long for it. */
export interface Draft {
  event: SessionEvent;
  /** The whole text, or its path in the sandbox; null when the event holds all of it. */
  overflow: Overflow | null;
}

export interface Overflow {
  name: string;
  text: string;
  /** Where the agent stored the output that it truncated. */
  path: string | null;
}

/** Stores a long output under a name that is the same on a repetition. Returns its link. */
export type ArtifactSink = (name: string, bytes: Uint8Array) => Promise<string>;

export function draft(event: SessionEvent, overflow: Overflow | null = null): Draft {
  return { event, overflow };
}

/**
 * Stores a text that is too long and links it. The event is kept even if the output cannot be read or stored, or exceeds the
 * quota.
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
