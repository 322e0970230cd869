import type { Agent, AgentSignal } from '../../agent/port.ts';
import { weightOf } from '../ingest/batches.ts';
import type { Inbox } from './inbox.ts';

export type StreamItem =
  | { kind: 'signal'; signal: AgentSignal }
  /** From now on nothing is missed: the moment to read what was. */
  | { kind: 'open' }
  /** Somebody pressed Stop. */
  | { kind: 'stop' }
  /** The agent cannot be reached. */
  | { kind: 'lost' };

/** A sandbox that thaws or a server that is busy answers within this time; a dead one never. */
const TRIES = 6;
const PAUSE_MS = 500;

/** Keeps the agent's stream open, over gaps, until `signal`. Says `lost` when it cannot. */
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
        // Not read on while we are behind: a flood then waits in the sandbox that makes it.
        await inbox.offer({ kind: 'signal', signal: item }, weightOf(item));
      }
    } catch {
      // How it ended does not matter: what was missed is read from the agent's own history.
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
