import { describe, expect, it } from 'vitest';
import type { ScriptFile } from '../../src/index.ts';
import type { ProviderId } from '../opencode.ts';
import type { World } from '../world.ts';

/** Writes two files in parallel and reads one back: covers text, reasoning, fragments of calls and results. */
export const protocolRules: ScriptFile['rules'] = [
  {
    name: 'two-files',
    when: { prompt: { regex: 'write (\\w+)' } },
    steps: [
      {
        think: 'Two files, at the same time.',
        say: 'I write both.',
        calls: ['a', 'b'].map((name) => ({
          tool: 'write',
          input: { filePath: `{{folder}}/{{match.1}}-${name}.txt`, content: `"${name}" \\ ü\n` },
        })),
      },
      {
        branch: [
          {
            ifResult: 'successfully',
            calls: [{ tool: 'read', input: { filePath: '{{folder}}/{{match.1}}-a.txt' } }],
          },
          { say: 'That failed: {{result.0}}' },
        ],
      },
      { think: 'Read.', say: 'Both are there.' },
    ],
  },
];

export function describeProtocols(world: World): void {
  describe.concurrent('a turn over each protocol', { timeout: 80_000 }, () => {
    it.each<ProviderId>(['chat', 'messages', 'responses'])('%s', async (provider) => {
      const { agent, model, repository } = world;
      const { folder } = repository;
      const turn = await agent.prompt({ folder, text: `write ${provider}`, provider });
      expect(turn.last.error).toBeUndefined();
      expect(turn.text).toBe('I write both.\nBoth are there.');
      expect(turn.tools.map(({ name, status }) => `${name} ${status}`)).toEqual([
        'write completed',
        'write completed',
        'read completed',
      ]);
      for (const name of ['a', 'b']) {
        expect(repository.read(`${provider}-${name}.txt`)).toBe(`"${name}" \\ ü\n`);
      }
      const reasoning = turn.messages
        .flatMap((message) => message.parts)
        .flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
      expect(reasoning).toEqual(['Two files, at the same time.', 'Read.']);

      const { entries, totals } = model.served(turn.sessionId);
      expect(entries.map((entry) => entry.protocol)).toEqual([provider, provider, provider]);
      const cost = turn.messages.reduce((sum, message) => sum + message.info.cost, 0);
      expect(cost).toBeCloseTo(totals.costUsd, 10);
      expect(totals.usage.cacheReadTokens).toBeGreaterThan(0);
      expect(totals.usage.cacheWriteTokens > 0).toBe(provider === 'messages');
    });
  });
}
