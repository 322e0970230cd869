import type { Model } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { groupModels } from './model-options.ts';

const model = (ref: string, more: Partial<Model> = {}): Model => ({
  ref,
  providerId: ref.split('/')[0] ?? '',
  modelId: ref.split('/')[1] ?? '',
  name: ref,
  contextTokens: null,
  outputTokens: null,
  price: null,
  reasoning: false,
  images: false,
  tools: true,
  isDemo: false,
  isDefault: false,
  ...more,
});

describe('groupModels', () => {
  it('groups by provider, puts the demo last, and marks unknown prices', () => {
    const rates = { input: 3, output: 15, cacheRead: 0, cacheWrite: 0, long: null };
    expect(
      groupModels([
        model('demo/general', { isDemo: true }),
        model('a/one', { price: rates }),
        model('a/two'),
      ]),
    ).toEqual([
      {
        provider: 'a',
        models: [
          { ref: 'a/one', label: 'a/one · $3 in, $15 out' },
          { ref: 'a/two', label: 'a/two · price unknown' },
        ],
      },
      {
        provider: 'demo (scripted)',
        models: [{ ref: 'demo/general', label: 'demo/general' }],
      },
    ]);
  });
});
