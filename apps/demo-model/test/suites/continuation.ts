import { describe, expect, it } from 'vitest';
import type { ScriptFile } from '../../src/index.ts';
import type { World } from '../world.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });
const task = (name: string) => ({
  tool: 'task',
  input: { description: `child ${name}`, prompt: `child task ${name}`, subagent_type: 'general' },
});

export const continuationRules: ScriptFile['rules'] = [
  {
    name: 'slow',
    when: { prompt: 'slow work' },
    steps: [
      { calls: [bash('echo one >> log.txt')] },
      { calls: [bash('test -f go || sleep 60; echo two >> log.txt')] },
      { say: 'slow work is done' },
    ],
  },
  {
    name: 'parent',
    when: { prompt: 'delegate' },
    steps: [{ calls: [task('a'), task('b')] }, { say: '{{result.0}} {{result.1}}' }],
  },
  {
    name: 'child',
    when: { prompt: { regex: 'child task (\\w)' } },
    *run(turn) {
      const [result] = yield { calls: [bash(`echo I am ${turn.match[1] ?? ''}`)] };
      return { say: result?.text.trim() ?? '' };
    },
  },
];

export function describeContinuation(world: World): void {
  describe('turns that continue', { timeout: 80_000 }, () => {
    it('after an abort, with the interrupted step', async () => {
      const { agent, repository } = world;
      const { folder } = repository;
      let aborted = false;
      const first = await agent.prompt({
        folder,
        text: 'slow work',
        stopWhen(event) {
          if (aborted || event.type !== 'message.part.updated') return false;
          const { part } = event.properties;
          aborted =
            part.type === 'tool' &&
            part.state.status === 'running' &&
            JSON.stringify(part.state.input).includes('sleep');
          return aborted;
        },
      });
      expect(first.last.error?.name).toBe('MessageAbortedError');
      repository.write('go', '');
      const { sessionId } = first;
      const second = await agent.prompt({
        folder,
        sessionId,
        text: 'You were interrupted. Continue.',
      });
      expect(second.text).toBe('slow work is done');
      expect(repository.read('log.txt')).toBe('one\ntwo\n');
      const steps = world.model.served(sessionId).entries.map((entry) => entry.step);
      expect(steps).toEqual([0, 1, 1, 2]);
    });

    it('in sub-agents, each with its own prompt', async () => {
      const { agent, model, repository } = world;
      const before = model.served().entries.length;
      const turn = await agent.prompt({ folder: repository.folder, text: 'delegate' });
      expect(turn.text).toContain('I am a');
      expect(turn.text).toContain('I am b');
      const entries = model.served().entries.slice(before);
      const requestsOf = (rule: string) => entries.filter((entry) => entry.rule === rule).length;
      expect([requestsOf('parent'), requestsOf('child')]).toEqual([2, 4]);
      expect(new Set(entries.map((entry) => entry.session)).size).toBe(3);
    });
  });
}
