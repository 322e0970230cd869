import { join } from 'node:path';
import type { DurableEvent, SessionState } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { E2bSandboxes } from '../src/sandbox/e2b.ts';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';
import { API_KEY } from './support/world-parts.ts';

const MINUTE_MS = 60_000;
const bash = (command: string) => ({ tool: 'bash', input: { command } });
/** Hangs only in the sandbox in which it started: the marker file is not among the repository's files. */
const RULE = {
  name: 'two',
  when: { prompt: 'make two files' },
  steps: [
    { say: 'The first one.', calls: [bash('echo one > one.txt; touch .git/here')] },
    { calls: [bash('[ -e .git/here ] && sleep 600; echo two > two.txt')] },
    { say: 'Both are there.' },
  ],
};

/** With the real control plane, sandboxes, agent and forge. */
describe('a sandbox that is lost with its files while the agent works', () => {
  let world: WholeWorld;
  let state: SessionState;
  let events: DurableEvent[];
  let repository: string;

  beforeAll(async () => {
    world = await WholeWorld.open([RULE]);
    repository = join(world.folder, 'two');
    await write(repository, { 'README.md': '# Two\n' });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
    const sessionId = await world.newSession(repository, 'Please make two files.');
    const artifact = `/api/sessions/${sessionId}/artifacts/conversation.json`;
    const saved = () => world.call('GET', artifact).then((answer) => answer.text());
    await vi.waitFor(saved, { timeout: 2 * MINUTE_MS, interval: 200 });
    const { sandbox } = await world.state(sessionId);
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    const port = new E2bSandboxes({ apiKey: API_KEY, apiUrl, sandboxUrl });
    await port.destroy('sandboxId' in sandbox ? sandbox.sandboxId : '');
    state = await world.rest(sessionId);
    events = await world.events(sessionId);
  }, 5 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  it('[AG14] loses no more of the conversation than the current step', () => {
    expect(state.activity).toEqual({ status: 'idle' });
    const opened = events.filter(({ type }) => type === 'agent.session-opened');
    expect(opened).toHaveLength(1);
    const kinds = events.flatMap(({ type, data }) =>
      type === 'agent.prompted' ? [data.kind] : [],
    );
    expect(kinds).toEqual(['prompt', 'continue']);
    // The model did not repeat its first step.
    const { entries } = world.parts.model.served();
    const steps = entries.flatMap(({ rule, step }) => (rule === RULE.name ? [step] : []));
    expect(steps.filter((step) => step === 0)).toHaveLength(1);
  });

  it('[AG14] loses no file from before that step', async () => {
    const branch = state.git.branch ?? '';
    expect(await git(repository, 'show', `${branch}:one.txt`, `${branch}:two.txt`)).toBe(
      'one\ntwo',
    );
  });
});
