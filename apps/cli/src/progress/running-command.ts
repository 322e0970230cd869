import { type DurableEnvelope, knownEvent } from '@ship/protocol';
import { duration } from './text.ts';
import { startedCommand } from './verification-lines.ts';

/** A long-running command of the repository, such as its setup or tests. */
export interface RunningCommand {
  text: string;
  sinceMs: number;
}

/** The running command after an event; undefined without one. */
export function runningAfter(
  running: RunningCommand | undefined,
  envelope: DurableEnvelope,
): RunningCommand | undefined {
  const event = knownEvent(envelope);
  switch (event?.type) {
    case 'command.started': {
      return { text: startedCommand(event.data), sinceMs: event.at };
    }
    case 'stage.finished':
    case 'verification.finished':
    case 'setup.proved':
    case 'agent.prompted':
    case 'turn.finished':
    case 'turn.retry-scheduled':
      return undefined;
    default:
      return running;
  }
}

export function describeRunning({ text, sinceMs }: RunningCommand, nowMs: number): string {
  return `${text} (${duration(Math.max(0, nowMs - sinceMs))})`;
}
