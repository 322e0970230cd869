import { type BaseUpdate, type SessionEvent, ShipFailure } from '@ship/protocol';
import { updateFromBase } from '../../git/index.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import { conflictPrompt } from '../workshop/delivery.ts';
import { gitDeps } from '../workshop/git-work.ts';
import type { Workplace } from '../workshop/parts.ts';
import type { Access } from './access.ts';

interface Update {
  update: Pick<BaseUpdate, 'outcome' | 'files'>;
  events: SessionEvent[];
}

const TURN = { turnId: null, summary: null };

/** Merges the base in. A conflict becomes a prompt for the agent. */
export async function updateBranch(place: Workplace, { store, workshop }: Access): Promise<Update> {
  const { events, conflict, problem } = await deliveryOf(place, workshop);
  if (problem !== null) {
    // The events so far are true, even though the rest failed.
    store.record(events);
    throw new ShipFailure(problem);
  }
  if (conflict === null) {
    const isMerged = events.some(({ type }) => type === 'base.merged');
    return { update: { outcome: isMerged ? 'merged' : 'up-to-date', files: [] }, events };
  }
  const prompt = conflictPrompt(conflict);
  const isAsked = store.state?.queue.some(({ text }) => text === prompt.text) ?? false;
  if (!isAsked) store.observe({ type: 'prompt.enqueue', prompt });
  return { update: { outcome: 'conflicted', files: conflict.files }, events };
}

async function deliveryOf(place: Workplace, workshop: Access['workshop']) {
  try {
    return await updateFromBase(await gitDeps(place, workshop), TURN);
  } catch (thrown) {
    throw new ShipFailure(foreignFailure('sandbox', thrown));
  }
}
