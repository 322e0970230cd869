import { describePlan, entryFor } from '@ship/core';
import { type DurableEnvelope, type DurableEvent, knownEvent } from '@ship/protocol';
import { describeAgent } from './agent-lines.ts';
import { describeGit } from './git-lines.ts';
import { duration, oneLine } from './text.ts';
import { describeVerification } from './verification-lines.ts';

const MAX_TEXT = 160;

/** One event as one line for people; undefined for events that other lines already cover. */
export function eventLine(envelope: DurableEnvelope): string | undefined {
  const event = knownEvent(envelope);
  // An event type of a newer server: show at least its name.
  if (event === undefined) return envelope.type;
  return (
    describeSession(event) ??
    describeSandbox(event) ??
    describeAgent(event) ??
    describeVerification(event) ??
    describeGit(event)
  );
}

function describeSession(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'session.created':
      return `session ${event.data.sessionId}: ${oneLine(event.data.title, MAX_TEXT)}`;
    case 'session.named':
      return event.data.title === null
        ? undefined
        : `named: ${oneLine(event.data.title, MAX_TEXT)}`;
    case 'session.renamed':
      return `renamed: ${oneLine(event.data.title, MAX_TEXT)}`;
    case 'session.closed':
      return `closed by ${event.data.by}`;
    case 'model.changed':
      return `model: ${event.data.model}`;
    case 'budget.changed':
      return `budget: ${event.data.budgetUsd === null ? 'from the settings' : `$${event.data.budgetUsd}`}`;
    case 'prompt.queued':
      return `${event.data.author}: ${oneLine(event.data.text, MAX_TEXT)}`;
    case 'prompt.withdrawn':
      return 'a queued prompt was withdrawn';
    case 'turn.started':
      return event.data.attempt === 1
        ? 'the agent starts'
        : `the agent retries (attempt ${event.data.attempt})`;
    case 'turn.stop-requested':
      return `stop requested by ${event.data.by}`;
    case 'turn.retry-scheduled': {
      const inMs = Math.max(0, event.data.nextAttemptAt - event.at);
      return `${oneLine(event.data.error.message, MAX_TEXT)} – retrying in ${duration(inMs)}`;
    }
    case 'turn.finished':
      return outcomeLine(event.data.outcome);
    default:
      return undefined;
  }
}

function outcomeLine(
  outcome: (DurableEvent & { type: 'turn.finished' })['data']['outcome'],
): string {
  switch (outcome.kind) {
    case 'completed':
      return 'the agent is done';
    case 'stopped':
      return `stopped by ${outcome.by}`;
    case 'failed':
      return `failed: ${oneLine(outcome.error.message, MAX_TEXT)}`;
    case 'paused':
      return `paused: ${oneLine(outcome.message, MAX_TEXT)}`;
  }
}

function describeSandbox(event: DurableEvent): string | undefined {
  switch (event.type) {
    case 'stage.finished': {
      const { stage, durationMs, error } = event.data;
      return error === null
        ? `${stage} ready in ${duration(durationMs)}`
        : `${stage} failed: ${oneLine(error.message, MAX_TEXT)}`;
    }
    case 'setup.reused':
      return `setup reused from ${new Date(event.data.madeAt).toISOString().slice(0, 16)}Z (saved ${duration(event.data.savedMs)})${event.data.layer === undefined ? '' : `: ${event.data.layer}`}`;
    case 'setup.missed':
      return event.data.reason === 'lost'
        ? 'the kept setup is gone: the setup runs again'
        : 'the kept setup is out of date: the setup runs again';
    case 'egress.refused': {
      const { host, serverName = host, rule } = event.data;
      const entry = entryFor(event.data);
      const remedy = entry === undefined ? '' : `; to allow it: ship allow ${entry}`;
      return `Ship refused ${serverName} (rule ${rule})${remedy}`;
    }
    case 'setup.proved': {
      const { setup, verify } = event.data;
      const ran = [setup, ...(verify === null ? [] : [verify])];
      const ends = ran.map(({ command, exitCode }) => `${command} (exit code ${exitCode ?? '–'})`);
      return `in a clean sandbox: ${oneLine(ends.join(', '), MAX_TEXT)}`;
    }
    case 'environment.planned': {
      const advice = event.data.toolchains.flatMap((need) => {
        const state = need.status === 'missing' ? 'missing' : 'another version';
        return need.advice === null ? [] : [`${need.tool} (${state}): ${need.advice}`];
      });
      return oneLine([describePlan(event.data).join('; '), ...advice].join(' | '), 2 * MAX_TEXT);
    }
    case 'install.started':
      return `installing (${event.data.step}/${event.data.of}): ${oneLine(event.data.command, MAX_TEXT)}`;
    case 'install.finished': {
      const { manager, durationMs, reason } = event.data;
      return reason === null
        ? `installed with ${manager} in ${duration(durationMs)}`
        : `dependencies could not be installed, the agent starts without them: ${oneLine(reason, MAX_TEXT)}`;
    }
    case 'sandbox.failed':
      return `no sandbox: ${oneLine(event.data.error.message, MAX_TEXT)}`;
    case 'sandbox.frozen':
      return 'the sandbox is paused';
    case 'sandbox.asleep':
      return 'the sandbox is asleep';
    case 'sandbox.resumed':
      return event.data.processes === 'kept'
        ? 'the sandbox is awake'
        : 'the sandbox is awake, restarted';
    case 'sandbox.lost':
      return `the sandbox was lost: ${oneLine(event.data.reason, MAX_TEXT)}`;
    case 'sandbox.destroyed':
      return 'the sandbox was stopped';
    default:
      return undefined;
  }
}
