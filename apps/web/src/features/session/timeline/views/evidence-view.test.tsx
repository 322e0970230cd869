import { SESSION_EVENTS } from '@ship/protocol';
import type { DurableEvent } from '@ship/protocol';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { ItemList } from '../items.ts';
import { EvidenceView } from './evidence-view.tsx';
import { placementOf } from './placement.ts';

const turnId = `turn_01${'a'.repeat(24)}`;
const run = (phase: 'before' | 'after', more = {}) => ({
  turnId,
  phase,
  command: 'npm test',
  source: 'settings',
  verdict: 'passed',
  exitCode: 0,
  durationMs: 1200,
  counts: { passed: 8, failed: 0, skipped: 0 },
  failing: [],
  link: null,
  output: 'ok',
  outputBytes: 2,
  ...more,
});
const score = { turnId, score: 91, parts: [] };

function itemsOf(...events: (readonly [type: DurableEvent['type'], data: object])[]) {
  const list = new ItemList(placementOf);
  list.add(
    events.map(([type, data], index) => ({
      seq: index + 1,
      at: 0,
      type,
      version: SESSION_EVENTS[type].version,
      data: data as Record<string, unknown>,
    })),
  );
  return list.items;
}

const words = (...events: Parameters<typeof itemsOf>) =>
  itemsOf(...events).map((item) =>
    renderToStaticMarkup(<EvidenceView item={item} />)
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

describe('evidence in the timeline', () => {
  it('has one entry for the result and its score, and another for the baseline', () => {
    expect(
      words(
        [
          'verification.finished',
          run('before', { verdict: 'failed', counts: { passed: 7, failed: 1, skipped: 0 } }),
        ],
        ['verification.finished', run('after')],
        ['confidence.computed', score],
      ),
    ).toEqual([
      'Baseline tests failed 1 failed, 7 passed · 1.2 s',
      'Tests passed 8 passed · 1.2 s Confidence 91 of 100',
    ]);
  });

  it('shows when no tests ran, and when they could not run', () => {
    expect(words(['confidence.withheld', { turnId, reason: 'No test command is known.' }])).toEqual(
      ['No tests run Not verified'],
    );
    expect(
      words(['verification.finished', run('after', { verdict: 'unavailable', counts: null })]),
    ).toEqual(['Tests could not run 1.2 s']);
  });

  it('stays when its turn is over, except the baseline', () => {
    const weights = itemsOf(
      ['verification.finished', run('before')],
      ['verification.finished', run('after')],
    ).map(({ weight }) => weight);
    expect(weights).toEqual(['detail', 'always']);
  });
});
