import {
  deliverTurn,
  prepareRepository,
  saveCheckpoint,
} from '../../apps/control-plane/src/git/index.ts';
import { FOLDER, type Sandboxed } from '../../apps/control-plane/test/git/support/sandboxed.ts';
import { type TestSession, turn } from '../../apps/control-plane/test/git/support/world.ts';
import { spread, timed } from '../statistics.ts';

/** From the end of a turn to its pull request, in a real sandbox, through its door, the gateway in workerd and the forge. */
export async function deliveryTimes(
  all: Sandboxed,
  source: string,
  template: string,
  times: number,
) {
  const seen = { first: [0], later: [0], checkpoint: [0] };
  for (const values of Object.values(seen)) values.pop();
  for (let i = -1; i < times; i += 1) {
    const { session, sandboxId } = await all.session(source, template);
    session.record(await prepareRepository(session.deps));
    const edit = (text: string) => all.port.writeFile(sandboxId, `${FOLDER}/new.txt`, text);
    await edit('one\n');
    const first = await timed(() => deliver(session));
    await edit('two\n');
    const checkpoint = await timed(async () => session.record(await saveCheckpoint(session.deps)));
    const later = await timed(() => deliver(session));
    await all.port.destroy(sandboxId);
    if (i < 0) continue;
    seen.first.push(first);
    seen.checkpoint.push(checkpoint);
    seen.later.push(later);
  }
  return {
    first: spread(seen.first),
    later: spread(seen.later),
    checkpoint: spread(seen.checkpoint),
  };
}

export async function deliver(session: TestSession): Promise<void> {
  const { events, problem } = await deliverTurn(session.deps, turn());
  if (problem !== null) throw new Error(problem.message);
  session.record(events);
}

/** Many sessions on one repository push at the same moment. What the forge has not got afterwards was lost. */
export async function crowd(all: Sandboxed, source: string, template: string, sessions: number) {
  const made = await Promise.all(
    Array.from({ length: sessions }, async (_, i) => {
      const one = await all.session(source, template);
      one.session.record(await prepareRepository(one.session.deps));
      await all.port.writeFile(one.sandboxId, `${FOLDER}/crowd-${i}.txt`, `${i}\n`);
      return one;
    }),
  );
  const ms = await timed(() => Promise.all(made.map(({ session }) => deliver(session))));
  let lost = 0;
  for (const { session, sandboxId } of made) {
    const { forge, git } = session.deps;
    const there = await forge.refSha(`heads/${session.branch}`);
    const pull = await forge.findPullRequest(session.branch);
    if (there === null || there !== git.headSha || pull?.headSha !== there) lost += 1;
    await all.port.destroy(sandboxId);
  }
  return { sessions, ms: Math.round(ms), lost };
}
