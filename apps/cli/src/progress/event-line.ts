import { type DurableEnvelope, type DurableEvent, knownEvent } from '@ship/protocol';
import { duration, oneLine } from './text.ts';

const MAX_TEXT = 160;

/** One event in one line for people; undefined for what says nothing that another line does not. */
export function eventLine(envelope: DurableEnvelope): string | undefined {
  const event = knownEvent(envelope);
  // A newer server's: its name is better than silence.
  return event === undefined ? envelope.type : describe(event);
}

function describe(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'session.created':
      return `session ${event.data.sessionId}: ${oneLine(event.data.title, MAX_TEXT)}`;
    case 'session.renamed':
      return `renamed: ${oneLine(event.data.title, MAX_TEXT)}`;
    case 'session.closed':
      return `closed by ${event.data.by}`;
    case 'model.changed':
      return `model: ${event.data.model}`;
    case 'prompt.queued':
      return `${event.data.author}: ${oneLine(event.data.text, MAX_TEXT)}`;
    case 'prompt.withdrawn':
      return 'a waiting prompt was withdrawn';
    case 'prompt.edited':
    case 'prompt.moved':
      return undefined;
    default:
      return describeWork(event);
  }
}

function describeWork(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'turn.started':
      return event.data.attempt === 1
        ? 'the agent starts'
        : `the agent tries again (${event.data.attempt})`;
    case 'turn.stop-requested':
      return `stop asked for by ${event.data.by}`;
    case 'turn.retry-scheduled': {
      const inMs = Math.max(0, event.data.nextAttemptAt - event.at);
      return `${event.data.error.message} – next try in ${duration(inMs)}`;
    }
    case 'turn.finished': {
      const { outcome } = event.data;
      if (outcome.kind === 'failed') return `failed: ${outcome.error.message}`;
      return outcome.kind === 'completed' ? 'the agent is done' : `stopped by ${outcome.by}`;
    }
    case 'stage.finished': {
      const { stage, durationMs, error } = event.data;
      return error === null
        ? `${stage} ready in ${duration(durationMs)}`
        : `${stage} failed: ${error.message}`;
    }
    default:
      return describeSandbox(event);
  }
}

function describeSandbox(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'sandbox.failed':
      return `no sandbox: ${event.data.error.message}`;
    case 'sandbox.frozen':
      return 'the sandbox is paused';
    case 'sandbox.asleep':
      return 'the sandbox sleeps';
    case 'sandbox.resumed':
      return event.data.processes === 'kept'
        ? 'the sandbox is awake'
        : 'the sandbox is awake, restarted';
    case 'sandbox.lost':
      return `the sandbox was lost: ${event.data.reason}`;
    case 'sandbox.destroyed':
      return 'the sandbox was ended';
    default:
      return undefined;
  }
}
