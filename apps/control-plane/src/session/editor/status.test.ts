import { describe, expect, it } from 'vitest';
import { readStatus, viewOf } from './status.ts';

const PORT = 13_337;

describe('the status of the editor’s script', () => {
  it('[ED1] has the progress, and where the editor can be opened', () => {
    expect(readStatus('', PORT)).toEqual({ state: 'off' });
    expect(readStatus('preparing parts 1700000000\n', PORT)).toEqual({
      state: 'preparing',
      step: 'parts',
      since: 1_700_000_000_000,
      where: 'sandbox',
      megabytes: null,
    });
    expect(readStatus('ready /home/user/my repository 1700000000\n', PORT)).toEqual({
      state: 'ready',
      port: PORT,
      folder: '/home/user/my repository',
    });
  });

  it('[ED2] has the reason of a failure from its output, and the remedy', () => {
    const log = 'npm error code E403\nnpm error 403 Forbidden - GET x\nA complete log: error.log';
    const view = readStatus(`failed download 1700000000\n${log}`, PORT);
    expect(view).toMatchObject({ state: 'failed', error: { code: 'unreachable' } });
    expect(JSON.stringify(view)).toContain('npm error 403 Forbidden - GET x');
    expect(JSON.stringify(view)).toContain('Allow registry.npmjs.org');
    expect(readStatus('failed start 1', PORT)).toMatchObject({ error: { code: 'setup-failed' } });
  });

  it('[ED3] has the host’s progress with the copy that all sandboxes share', () => {
    expect(viewOf({ state: 'installing', step: 'parts', since: 5, megabytes: 190 })).toEqual({
      state: 'preparing',
      step: 'parts',
      since: 5,
      where: 'machine',
      megabytes: 190,
    });
    expect(viewOf({ state: 'absent' })).toEqual({ state: 'off' });
    const failed = viewOf({ state: 'failed', reason: '403 Forbidden - GET x' });
    expect(failed).toMatchObject({ error: { code: 'unreachable' } });
    expect(JSON.stringify(failed)).toContain('403 Forbidden - GET x');
  });

  it.each([
    'preparing nonsense 1',
    'ready',
    'failed x 1',
    'preparing parts x',
    '{"state":"ready"}',
  ])('ignores %j', (text) => {
    expect(readStatus(text, PORT)).toEqual({ state: 'off' });
  });
});
