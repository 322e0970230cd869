import { setTimeout } from 'node:timers/promises';
import {
  deliverTurn,
  prepareRepository,
  saveCheckpoint,
} from '../../apps/control-plane/src/git/index.ts';
import { FOLDER, type Sandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { type TestSession, turn } from '../../apps/control-plane/test/git/support/world.ts';
import { timed } from '../statistics.ts';
import type { Part } from './part.ts';

const AGENT_MS = 2_500;

interface Start {
  source: string;
  template: string;
}

/** From the end of a turn to its pull request, in a real sandbox, through the gateway in workerd and the forge. */
export async function deliveryTimes(
  part: Part,
  all: Sandboxed,
  { source, template }: Start,
  times: number,
) {
  await part.rounds(times, async () => {
    const { session, sandboxId } = await all.session(source, template);
    session.record(await prepareRepository(session.deps));
    // The clone's background work ends long before an agent has changed anything.
    await setTimeout(AGENT_MS);
    const edit = (text: string) => all.port.writeFile(sandboxId, `${FOLDER}/new.txt`, text);
    await edit('one\n');
    const first = await timed(() => deliver(session));
    await edit('two\n');
    const checkpoint = await timed(async () => session.record(await saveCheckpoint(session.deps)));
    const later = await timed(() => deliver(session));
    await all.port.destroy(sandboxId);
    return { first, later, checkpoint };
  });
}

async function deliver(session: TestSession): Promise<void> {
  const { events, problem } = await deliverTurn(session.deps, turn());
  if (problem !== null) throw new Error(problem.message);
  session.record(events);
}

/** Many sessions push to one repository at the same moment. Commits that the forge lacks afterwards are lost. */
export async function crowd(
  part: Part,
  all: Sandboxed,
  { source, template }: Start,
  sessions: number,
) {
  const { findings } = part;
  findings['sessions'] = sessions;
  const made: Awaited<ReturnType<typeof ready>>[] = [];
  // Two at a time: only the push is measured, and concurrent clones of thousands of files would only slow each other down.
  for (let i = 0; i < sessions; i += 2)
    made.push(
      ...(await Promise.all([i, i + 1].map((number) => ready(all, { source, template }, number)))),
    );
  findings['readyMs'] = Math.round(part.elapsedMs);
  const ms = await timed(() => Promise.all(made.map(({ session }) => deliver(session))));
  findings['ms'] = Math.round(ms);
  let lost = 0;
  for (const { session } of made) {
    const { forge, git } = session.deps;
    const there = await forge.refSha(`heads/${session.branch}`);
    const pull = await forge.findPullRequest(session.branch);
    if (there === null || there !== git.headSha || pull?.headSha !== there) lost += 1;
  }
  findings['lost'] = lost;
  await Promise.all(made.map(({ sandboxId }) => all.port.destroy(sandboxId)));
}

async function ready(all: Sandboxed, { source, template }: Start, number: number) {
  const one = await all.session(source, template);
  one.session.record(await prepareRepository(one.session.deps));
  await all.port.writeFile(one.sandboxId, `${FOLDER}/crowd-${number}.txt`, `${number}\n`);
  return one;
}
