import { join } from 'node:path';
import { Card } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';

const MINUTE_MS = 60_000;
const TITLE = 'Greet the whole world';

const writeGreeting = {
  tool: 'write',
  input: { filePath: '{{folder}}/hello.txt', content: 'hi\n' },
};
const RULES = [
  {
    name: 'a title',
    when: { kind: 'title' as const, prompt: { regex: 'write a greeting' } },
    steps: [{ say: `"${TITLE}."` }],
  },
  {
    name: 'no title',
    when: { kind: 'title' as const, prompt: { regex: 'write nonsense' } },
    steps: [{ say: '…' }],
  },
  {
    name: 'an error',
    when: { kind: 'title' as const, prompt: { regex: 'write in spite' } },
    steps: [{ say: 'no', faults: [{ kind: 'server-error' as const, times: 9 }] }],
  },
  {
    name: 'greeting',
    when: { prompt: '*' as const },
    steps: [{ calls: [writeGreeting] }, { say: 'Written.' }],
  },
];

/** With the real control plane, sandbox, agent and forge; only the models are scripted. */
describe('the name of a session', { timeout: 3 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let repository = '';
  beforeAll(async () => {
    world = await WholeWorld.open(RULES);
    repository = join(world.folder, 'greetings');
    await write(repository, { 'README.md': '# Greetings\n' });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const served = () => world.parts.model.served();
  const finished = async (prompt: string, more: Record<string, unknown> = { title: null }) => {
    const before = served().entries.length;
    const sessionId = await world.newSession(repository, prompt, more);
    const state = await world.rest(sessionId);
    const entries = served().entries.slice(before);
    const titles = entries.filter(({ kind }) => kind === 'title');
    return { sessionId, state, entries, titles };
  };

  it('[NA1] [NA3] the small model chooses it: for the list, branch and pull request, and its cost counts', async () => {
    const { sessionId, state, entries, titles } = await finished('Please write a greeting.');
    expect(state).toMatchObject({ title: TITLE, titledBy: 'model' });
    expect(titles).toMatchObject([{ model: 'demo-small', outcome: 'served' }]);
    expect(state.git.branch).toMatch(/^ship-greet-the-whole-world-/);
    expect(state.git.pullRequest).toMatchObject({ title: TITLE, draft: true });
    const usd = entries.reduce((sum, entry) => sum + (entry.costUsd ?? 0), 0);
    // The budget counts whole micro-dollars, so each call can differ by half of one.
    const rounding = entries.length * 0.5e-6 + 1e-12;
    expect(Math.abs((state.agent.usage.costUsd ?? 0) - usd)).toBeLessThanOrEqual(rounding);
    expect(usd).toBeGreaterThan(0.01);
    expect(await git(repository, 'branch', '--list', 'ship-*')).toContain(state.git.branch);
    const types = (await world.events(sessionId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'session.named')).toHaveLength(1);
    expect(types.indexOf('branch.renamed')).toBeLessThan(types.indexOf('branch.pushed'));
  });

  it('[NA1] an unchanged title is no event', async () => {
    const { sessionId, state, titles } = await finished('Greet them');
    expect(titles).toHaveLength(1);
    expect(state).toMatchObject({ title: 'Greet them', titledBy: 'prompt' });
    const types = (await world.events(sessionId)).map(({ type }) => type);
    expect(types).not.toContain('branch.renamed');
  });

  it('[NA1] a title from a person stays, and no model is called', async () => {
    const { state, titles } = await finished('Please write a greeting.', { title: 'My own' });
    expect(state).toMatchObject({ title: 'My own', titledBy: 'person' });
    expect(titles).toEqual([]);
    expect(state.git.branch).toMatch(/^ship-my-own-/);
  });

  it('[GN1] the branch of a session for a card is named after the card', async () => {
    const made = await world.call('POST', '/api/board/cards', {
      requestId: `card-${crypto.randomUUID()}`,
      title: 'A greeting',
      repository,
    });
    const { cardId } = Card.parse(await made.json());
    const title = 'A greeting';
    const { state } = await finished('Please write a greeting.', { title, cardId });
    expect(state.git.branch).toBe(`task-${cardId.slice(4)}`);
    expect(state.git.pullRequest).toMatchObject({ title });
  });

  it.each(['write nonsense', 'write in spite of it'])(
    '[NA4] without a usable title, the prompt %j is the title, and the work continues',
    async (prompt) => {
      const { state, titles } = await finished(prompt);
      expect(titles.length).toBe(1);
      expect(state).toMatchObject({ title: prompt, titledBy: 'prompt' });
      expect(state.activity).toEqual({ status: 'idle' });
      expect(state.git.branch).toMatch(/^ship-write-/);
      expect(state.git.pullRequest).not.toBeNull();
    },
  );
});
