import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { end, preparedFolder, ship, temporaryFolder, untilReady } from './ship.ts';

async function run(...args: string[]) {
  const running = ship(args);
  return { code: await running.exited, output: running.output() };
}

describe('ship clean', { timeout: 120_000 }, () => {
  it('[UI4] deletes a data folder with files of any id, and not while a server uses it', async () => {
    const data = join(await preparedFolder(), '');
    const up = ship(['up', '--no-open', '--port', String(await freePort()), '--data', data]);
    await untilReady(up);
    const busy = await run('clean', '--yes', '--data', data);
    expect(busy.code).toBe(1);
    expect(busy.output).toContain('another Ship is using the data folder');
    await end(up);
    expect(existsSync(join(data, 'sandboxes/isolation/layers'))).toBe(true);
    expect(await run('clean', '--yes', '--json', '--data', data)).toEqual({
      code: 0,
      output: `${JSON.stringify({ deleted: data })}\n`,
    });
    expect(existsSync(data)).toBe(false);
    expect((await run('clean', '--yes', '--data', data)).output).toBe('Nothing to delete.\n');
  });

  it('[UI4] deletes nothing without confirmation, and nothing but a data folder', async () => {
    const other = temporaryFolder();
    writeFileSync(join(other, 'precious'), '');
    const refused = await run('clean', '--yes', '--data', other);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('is not a data folder');
    for (const mark of ['run', 'objects', 'secrets']) mkdirSync(join(other, mark));
    writeFileSync(join(other, 'run/lock'), '');
    expect(await run('clean', '--data', other)).toMatchObject({ code: 2 });
    expect(existsSync(join(other, 'precious'))).toBe(true);
  });
});
