import type { Agent, AgentSignal } from '../../agent/port.ts';
import { weightOf } from '../ingest/batches.ts';
import type { Inbox } from './inbox.ts';

export type StreamItem =
  | { kind: 'signal'; signal: AgentSignal }
  /** The stream is open and misses nothing from now on: the moment to read the history. */
  | { kind: 'open' }
  /** Stop was pressed. */
  | { kind: 'stop' }
  /** The agent cannot be reached. */
  | { kind: 'lost' };

/** A thawing sandbox or a busy server answers within this time; a dead one never does. */
const TRIES = 6;
const PAUSE_MS = 500;

/** Keeps the agent's stream open, over gaps, until `signal`. Reports `lost` when it cannot. */
export async function followAgent(
  agent: Agent,
  inbox: Inbox<StreamItem>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    let hasOpened = false;
    const onOpen = () => {
      hasOpened = true;
      inbox.push({ kind: 'open' });
    };
    try {
      for await (const item of agent.signals(signal, onOpen)) {
        // Back pressure: a flood then waits in the sandbox that produces it.
        await inbox.offer({ kind: 'signal', signal: item }, weightOf(item));
      }
    } catch {
      // The reason does not matter: what was missed is read from the agent's own history.
    }
    if (signal.aborted) return;
    failures = hasOpened ? 1 : failures + 1;
    if (failures >= TRIES) {
      inbox.push({ kind: 'lost' });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
