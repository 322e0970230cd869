import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { PromptOptions, TurnRecord } from '../opencode.ts';
import type { World } from '../world.ts';

function retriesOf(turn: TurnRecord): { message: string; next: number }[] {
  return turn.events.flatMap((event) =>
    event.type === 'session.status' && event.properties.status.type === 'retry'
      ? [event.properties.status]
      : [],
  );
}

export function describeFaults(world: World): void {
  const provoke = (fault: string, options: Partial<PromptOptions> = {}): Promise<TurnRecord> =>
    world.agent.prompt({ folder: world.repository.folder, text: `fault ${fault}`, ...options });
  const entriesOf = (turn: TurnRecord) => world.model.served(turn.sessionId).entries;
  const outcomesOf = (turn: TurnRecord) => entriesOf(turn).map((entry) => entry.outcome);
  const expectRecovery = (turn: TurnRecord, outcomes: string[]): void => {
    expect(turn.last.error).toBeUndefined();
    expect(turn.text).toContain('recovered and complete');
    expect(outcomesOf(turn)).toEqual(outcomes);
  };

  describe.concurrent('faults as the real agent sees them', { timeout: 80_000 }, () => {
    it.each([
      ['rate-limit-short', /Rate limit reached/, 'refused'],
      ['server-error', /The server had an error/, 'refused'],
      // The agent has another message for a connection that ends before it has read the headers.
      ['cut-stream', /socket connection was closed|Connection reset by server/, 'broken'],
      ['malformed-json', /JSON parsing failed/, 'broken'],
      ['error-in-stream', /The server had an error/, 'broken'],
    ])('%s is retried once and recovers', async (fault, message, outcome) => {
      const turn = await provoke(fault);
      expect(retriesOf(turn).map((retry) => retry.message)).toEqual([
        expect.stringMatching(message),
      ]);
      expectRecovery(turn, [outcome, 'served']);
      expect(turn.last.cost).toBeCloseTo(world.model.served(turn.sessionId).totals.costUsd, 10);
    });

    it.each([
      ['hang-before-headers', 'response headers timed out'],
      ['hang-mid-stream', 'SSE read timed out'],
    ])('%s ends with the agent’s timeout, then recovers', async (fault, message) => {
      const turn = await provoke(fault, { provider: 'hasty' });
      expect(retriesOf(turn)[0]?.message).toContain(message);
      expect(turn.text).toContain('recovered and complete');
      expect(outcomesOf(turn)[0]).toBe('aborted');
      expect(outcomesOf(turn).at(-1)).toBe('served');
    });

    it('with a retry-after of hours the session waits, and an abort ends the wait', async () => {
      const startedAtMs = Date.now();
      const turn = await provoke('rate-limit-hours', {
        stopWhen: (event) =>
          event.type === 'session.status' && event.properties.status.type === 'retry',
      });
      const waitMs = (retriesOf(turn)[0]?.next ?? 0) - startedAtMs;
      expect(waitMs).toBeGreaterThan(7_100_000);
      expect(outcomesOf(turn)).toEqual(['refused']);
    });

    it.each([
      ['unauthorized', 401, 'Incorrect API key provided'],
      ['http-error', 403, 'No access to this model'],
    ])('%s fails immediately', async (fault, statusCode, message) => {
      const turn = await provoke(fault);
      expect(turn.last.error).toMatchObject({ name: 'APIError', data: { message, statusCode } });
      expect(retriesOf(turn)).toEqual([]);
      expect(outcomesOf(turn)).toEqual(['refused']);
    });

    it('a malformed tool call becomes an invalid one, and the turn continues', async () => {
      const turn = await provoke('bad-tool-json');
      expect(turn.tools.map((tool) => tool.name)).toEqual(['invalid']);
      expectRecovery(turn, ['served', 'served']);
    });

    it('an overflow is compacted, and the script continues', async () => {
      const turn = await provoke('context-overflow');
      const types = turn.events.map((event) => event.type);
      expect(types).toContain('session.compacted');
      expect(
        turn.events.find((event) => event.type === 'session.error')?.properties.error?.name,
      ).toBe('ContextOverflowError');
      expect(
        entriesOf(turn).map(({ kind, step, outcome }) => `${kind} ${step} ${outcome}`),
      ).toEqual([
        'turn 0 served',
        'turn 1 served',
        'turn 2 refused',
        'compaction 0 served',
        'turn 2 served',
        'turn 3 served',
      ]);
      expect(existsSync(join(world.repository.folder, 'four.txt'))).toBe(true);
    });

    it('an empty answer ends the turn without text', async () => {
      const turn = await provoke('empty-answer');
      expect(turn.last.finish).toBe('stop');
      expect(turn.text).toBe('');
      expect(turn.last.tokens.output).toBe(0);
    });

    it('a stream that turns into HTML ends early, and the agent retries', async () => {
      const turn = await provoke('malformed-sse');
      expectRecovery(turn, ['broken', 'served']);
    });

    it('a slow drip arrives word by word, and the server detects an abort', async () => {
      let deltas = 0;
      const turn = await provoke('slow-drip', {
        stopWhen: (event) => event.type === 'message.part.delta' && ++deltas === 3,
      });
      expect(turn.last.error?.name).toBe('MessageAbortedError');
      await vi.waitFor(() => expect(outcomesOf(turn)).toEqual(['aborted']), { timeout: 20_000 });
    });
  });
}
