import type { DurableEvent, SandboxState } from '@ship/protocol';

/** Folds one event into the sandbox's state; other events leave it unchanged. */
export function evolveSandbox(sandbox: SandboxState, event: DurableEvent): SandboxState {
  const since = event.at;
  switch (event.type) {
    case 'sandbox.requested':
      return { status: 'starting', attempt: event.data.attempt, since };
    case 'sandbox.ready':
    case 'sandbox.resumed':
      return { status: 'running', sandboxId: event.data.sandboxId, since };
    case 'sandbox.failed':
      return failed(sandbox, event);
    case 'sandbox.frozen':
      return { status: 'frozen', ...event.data, since };
    case 'sandbox.asleep':
      return { status: 'asleep', sandboxId: event.data.sandboxId, since };
    case 'sandbox.lost':
      return { status: 'lost', ...event.data, since };
    case 'sandbox.destroyed':
    case 'sandbox.abandoned':
      return { status: 'none' };
    default:
      return sandbox;
  }
}

function failed(
  sandbox: SandboxState,
  { data, at }: DurableEvent & { type: 'sandbox.failed' },
): SandboxState {
  const { error, nextAttemptAt } = data;
  if (nextAttemptAt === null) return { status: 'failed', error, since: at };
  const attempt = sandbox.status === 'starting' ? sandbox.attempt : 1;
  return { status: 'retrying', attempt, error, nextAttemptAt };
}
