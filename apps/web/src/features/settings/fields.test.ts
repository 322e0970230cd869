import { DEFAULT_SETTINGS, SettingsPatch } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import {
  agentFields,
  budgetFields,
  generalFields,
  idleFields,
  limitFields,
  networkFields,
} from './fields.ts';
import type { SettingField } from './fields.ts';
import { mergePatches } from './merge-patches.ts';

const all: readonly SettingField[] = [
  ...generalFields,
  ...budgetFields,
  ...limitFields,
  ...idleFields,
  ...networkFields,
  ...agentFields,
];
const field = (id: string) => all.find((one) => one.id === id) ?? expect.fail(`no field ${id}`);

describe('settings in a form', () => {
  it.each(all)('[WB3] $id: saving the shown text changes nothing', (one) => {
    const written = one.write(one.read(DEFAULT_SETTINGS));
    if (!written.ok) return expect.fail(written.problem);
    expect(SettingsPatch.parse(written.patch)).toEqual(written.patch);
    expect(DEFAULT_SETTINGS).toMatchObject(written.patch);
  });

  it.each([
    ['sessionUsd', '-1'],
    ['sessionUsd', 'much'],
    ['maxWorking', '0'],
    ['maxWorking', ''],
    ['maxStepsPerTurn', '2.5'],
    ['turnTimeout', '0.5'],
    ['destroyAfter', '0'],
    ['defaultModel', 'gpt'],
    ['authorEmail', 'me'],
    ['allow', 'https://example.com'],
    ['agentInstructions', 'x'.repeat(20_001)],
  ])('[WB3] %s refuses %j before anything is sent', (id, text) => {
    expect(field(id).write(text)).toMatchObject({ ok: false });
  });

  it('[WB3] uses human units: minutes, dollars, one host per line', () => {
    expect(field('pauseAfter').write('2.5')).toEqual({
      ok: true,
      patch: { idle: { pauseAfterMs: 150_000 } },
    });
    expect(field('sessionUsd').write('$5')).toEqual({
      ok: true,
      patch: { budgets: { sessionUsd: 5 } },
    });
    expect(field('allow').write('A.example\n\n*.b.example, a.example')).toEqual({
      ok: true,
      patch: { egress: { allow: ['a.example', '*.b.example'] } },
    });
  });

  it('fields of one group form one patch', () => {
    expect(
      mergePatches([{ limits: { toolFailures: 2 } }, { limits: { maxStepsPerTurn: 9 } }]),
    ).toEqual({ limits: { toolFailures: 2, maxStepsPerTurn: 9 } });
  });
});
