import {
  type LiveEvent,
  PROTOCOL_VERSION,
  type ServerMessage,
  type SessionId,
} from '@ship/protocol';
import type { EventLog } from './event-log.ts';

/** Bounds both a page and the socket's buffer. */
const PAGE_EVENTS = 200;

/** Serializes each message once, however many clients watch. */
export function pageText(texts: readonly string[], upTo: number, newestSeq: number): string {
  return `{"type":"page","events":[${texts.join(',')}],"upTo":${upTo},"newestSeq":${newestSeq}}`;
}

export function replayText(log: EventLog, after: number, newestSeq: number) {
  const { texts, upTo } = log.texts(after, PAGE_EVENTS);
  return { text: pageText(texts, upTo, newestSeq), upTo };
}

export function helloText(sessionId: SessionId, newestSeq: number): string {
  return messageText({ type: 'hello', protocolVersion: PROTOCOL_VERSION, sessionId, newestSeq });
}

export function liveText(events: LiveEvent[]): string {
  return messageText({ type: 'live', events });
}

export function presenceText(watchers: string[]): string {
  return messageText({ type: 'presence', watchers });
}

function messageText(message: ServerMessage): string {
  return JSON.stringify(message);
}
