/** Sessions with a flooding agent, another session beside them, and a session in an idle control plane as the control. */
import { join } from 'node:path';
import { SessionReceipt } from '@ship/protocol';
import { type Latency, probeLatency } from '../../../../scripts/testing/latency.ts';
import { LOCAL_TOKEN, startControlPlane } from '../git/support/control-plane.ts';
import { git, write } from '../git/support/git.ts';
import { FLOODING_REPOSITORY, floodOf } from './flooding-agent.ts';
import { WholeWorld } from './whole-world.ts';
import { FORGE_TOKEN } from './world-parts.ts';

/** Latency of calls to a session that does not flood. */
export interface SeenBeside {
  bystander: Latency;
  /** The same call at the same time to an idle control plane: the latency without the flood. */
  control: Latency;
}

export type FloodedWorld = Awaited<ReturnType<typeof openFloodedWorld>>;

export async function openFloodedWorld(attackers: number) {
  const world = await WholeWorld.open([]);
  const repository = join(world.folder, 'flooding');
  await write(repository, FLOODING_REPOSITORY);
  await git(repository, 'init', '-q', '-b', 'main');
  await git(repository, 'add', '-A');
  await git(repository, 'commit', '-q', '-m', 'first');
  const body = { requestId: crypto.randomUUID(), repository, title: 'Bystander' };
  const made = await world.call('POST', '/api/sessions', body);
  const bystander = SessionReceipt.parse(await made.json()).sessionId;
  const idle = await startControlPlane(join(world.folder, 'idle'), {
    ...world.parts.forge,
    token: FORGE_TOKEN,
  });
  const control = await idle.holder();
  const sessionIds = await Promise.all(
    Array.from({ length: attackers }, () => world.newSession(repository, floodOf(1, 10))),
  );
  // The flooding program ends its first turn with one text; otherwise it has not replaced the agent.
  for (const sessionId of sessionIds) {
    await world.rest(sessionId);
    const texts = (await world.events(sessionId)).filter(({ type }) => type === 'text.finished');
    if (texts.length !== 1) throw new Error(`the agent was not replaced: ${texts.length} texts`);
  }

  const prompt = async (sessionId: string, text: string) => {
    const { turnsFinished } = await world.state(sessionId);
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, {
      requestId: crypto.randomUUID(),
      text,
    });
    for (;;) {
      const state = await world.state(sessionId);
      if (state.turnsFinished > turnsFinished && state.activity.status !== 'working') return state;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const probe = () =>
    probeLatency(LOCAL_TOKEN, {
      bystander: `${world.parts.url}/api/sessions/${bystander}`,
      control: `${idle.url}/api/sessions/${control.sessionId}`,
    });

  return {
    world,
    bystander,
    sessionIds,
    probe,
    /** One turn of every attacker at the same time. */
    async attack(text: string) {
      const watching = probe();
      const states = await Promise.all(sessionIds.map((sessionId) => prompt(sessionId, text)));
      return { states, seen: (await watching.end()) satisfies SeenBeside };
    },
    async close() {
      await idle.stop();
      await world.close();
    },
  };
}
