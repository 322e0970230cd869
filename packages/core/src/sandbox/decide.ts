import type { SandboxObservation, SandboxState, SessionEvent } from '@ship/protocol';
import { type RetryPolicy, nextRetry } from '../retry/policy.ts';
import { sessionEvent } from '../session/event.ts';

/**
 * Decides which events an observation causes. An observation of another sandbox, or of a known state, causes none: it comes from
 * a call that was repeated after a crash.
 */
export function decideSandbox(
  sandbox: SandboxState,
  seen: SandboxObservation,
  nowMs: number,
  retry: RetryPolicy,
): SessionEvent[] {
  switch (seen.type) {
    case 'sandbox.request':
      return request(sandbox, nowMs);
    case 'sandbox.found-ready':
      return sandbox.status === 'starting'
        ? [sessionEvent('sandbox.ready', { sandboxId: seen.sandboxId })]
        : [];
    case 'sandbox.found-failing':
      return failing(sandbox, seen, nowMs, retry);
    case 'sandbox.found-frozen':
      return unless(
        sandbox,
        seen,
        ['frozen', 'asleep'],
        sessionEvent('sandbox.frozen', { sandboxId: seen.sandboxId, byPerson: seen.byPerson }),
      );
    case 'sandbox.found-asleep':
      return unless(
        sandbox,
        seen,
        ['asleep'],
        sessionEvent('sandbox.asleep', { sandboxId: seen.sandboxId }),
      );
    case 'sandbox.found-awake': {
      const { sandboxId, processes } = seen;
      return unless(
        sandbox,
        seen,
        ['running'],
        sessionEvent('sandbox.resumed', { sandboxId, processes }),
      );
    }
    case 'sandbox.found-gone': {
      const { sandboxId, reason } = seen;
      return unless(sandbox, seen, ['lost'], sessionEvent('sandbox.lost', { sandboxId, reason }));
    }
    case 'sandbox.ended': {
      const { sandboxId, reason } = seen;
      return unless(sandbox, seen, [], sessionEvent('sandbox.destroyed', { sandboxId, reason }));
    }
    case 'sandbox.stray-found':
      return 'sandboxId' in sandbox && sandbox.sandboxId === seen.sandboxId
        ? []
        : [sessionEvent('sandbox.stray-ended', { sandboxId: seen.sandboxId })];
    case 'sandbox.swept':
      return sandbox.status === 'none' || 'sandboxId' in sandbox
        ? []
        : [sessionEvent('sandbox.abandoned', {})];
    case 'stage.finish': {
      const { type: _, ...data } = seen;
      return [sessionEvent('stage.finished', data)];
    }
  }
}

function request(sandbox: SandboxState, nowMs: number): SessionEvent[] {
  switch (sandbox.status) {
    case 'none':
    case 'lost':
    case 'failed':
      return [sessionEvent('sandbox.requested', { attempt: 1 })];
    case 'retrying':
      return nowMs < sandbox.nextAttemptAt
        ? []
        : [sessionEvent('sandbox.requested', { attempt: sandbox.attempt + 1 })];
    default:
      return [];
  }
}

function failing(
  sandbox: SandboxState,
  { error, jitter }: SandboxObservation & { type: 'sandbox.found-failing' },
  nowMs: number,
  policy: RetryPolicy,
): SessionEvent[] {
  if (sandbox.status !== 'starting') return [];
  const retry = nextRetry(error.category, sandbox.attempt, jitter, policy);
  return [
    sessionEvent('sandbox.failed', {
      error,
      nextAttemptAt: retry === undefined ? null : nowMs + retry.delayMs,
    }),
  ];
}

function unless(
  sandbox: SandboxState,
  { sandboxId }: { sandboxId: string },
  known: readonly SandboxState['status'][],
  event: SessionEvent,
): SessionEvent[] {
  const isOurs = 'sandboxId' in sandbox && sandbox.sandboxId === sandboxId;
  return isOurs && !known.includes(sandbox.status) ? [event] : [];
}
