import { describe, expect, it } from 'vitest';
import { unreachable } from '../../api/error.ts';
import type { Health, PartHealth, PartState } from '@ship/protocol';
import { lost, reached } from './link.ts';
import { partLabel, startedAtMs, summarize } from './summary.ts';

const part = (name: string, state: PartState, since = '2026-01-01T00:00:00.000Z'): PartHealth => ({
  name,
  state,
  since,
  restarts: 0,
  detail: null,
});

const seen = (status: Health['status'], ...parts: PartHealth[]) =>
  reached(
    { status, version: '0.1.0', protocolVersion: 1, now: '2026-01-01T00:00:00.000Z', parts },
    0,
  );

describe('summarize', () => {
  it('says nothing before the first answer', () => {
    expect(summarize(undefined)).toMatchObject({ tone: 'none', short: 'Connecting' });
  });

  it('is ok if every part is up', () => {
    expect(summarize(seen('ok', part('host', 'up'), part('storage', 'up')))).toMatchObject({
      tone: 'ok',
      text: '2 parts running.',
    });
  });

  it('names the worst part first', () => {
    const link = seen(
      'degraded',
      part('control-plane', 'restarting'),
      part('host', 'up'),
      part('storage', 'down'),
    );
    expect(summarize(link)).toMatchObject({
      tone: 'bad',
      short: 'Degraded',
      title: '2 of 3 parts not up',
      text: 'Storage is down. Control plane is restarting.',
    });
  });

  it('shows a start as starting, not as a failure', () => {
    const link = seen('degraded', part('host', 'up'), part('storage', 'starting'));
    expect(summarize(link)).toMatchObject({ tone: 'busy', short: 'Starting' });
  });

  it('shows a problem that the server reports though every part is up', () => {
    expect(summarize(seen('degraded', part('host', 'up')))).toMatchObject({ tone: 'warn' });
  });

  it('never shows an old state as current', () => {
    const link = lost(seen('ok', part('host', 'up')), unreachable().error, 1);
    expect(summarize(link)).toMatchObject({ tone: 'bad', short: 'Reconnecting' });
  });
});

describe('parts', () => {
  it('labels unknown parts', () => {
    expect(partLabel('control-plane')).toBe('Control plane');
    expect(partLabel('demo-model')).toBe('Demo model');
  });

  it('uses the oldest part as the start of the installation', () => {
    const parts = [
      part('storage', 'up', '2026-01-01T00:00:05.000Z'),
      part('host', 'up', '2026-01-01T00:00:01.000Z'),
    ];
    expect(startedAtMs(parts)).toBe(Date.parse('2026-01-01T00:00:01.000Z'));
    expect(startedAtMs([])).toBeNull();
  });
});
