import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShipClient } from '@ship/protocol/client';
import { expect, it } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { processesIn, sandboxFolders, sandboxPid } from './endurance/processes.ts';
import { preparedFolder, ship, until, untilReady } from './ship.ts';

const closePipes = ({ stdout, stderr }: ReturnType<typeof ship>['process']): void => {
  stdout?.destroy();
  stderr?.destroy();
};

it('[UP18] SIGTERM after the reader of its output was killed still ends its sandboxes', async () => {
  const data = await preparedFolder();
  const port = await freePort();
  const up = ship(['up', '--no-open', '--port', String(port), '--data', data]);
  await untilReady(up);
  const token = readFileSync(join(data, 'secrets', 'local-token'), 'utf8');
  const client = new ShipClient({ baseUrl: `http://127.0.0.1:${port}`, token });
  await client.changeSettings({ warm: { size: 0 } });
  await client.createSession({ repository: data, prompt: null, title: 'Any', model: 'demo/demo' });
  const sandbox = () => sandboxFolders(data).flatMap((id) => sandboxPid(data, id) ?? [])[0];
  await until('a sandbox', sandbox);
  closePipes(up.process);
  up.process.kill('SIGTERM');
  expect(await up.exited).toBe(0);
  expect(processesIn(data)).toEqual([]);
});

it('[CL5] exits without a stack trace when its output is closed', async () => {
  // The script exceeds the pipe's buffer, so the write fails as in `ship completion bash | head -1`.
  const completion = ship(['completion', 'bash']);
  completion.process.stdout?.destroy();
  expect(await completion.exited).toBe(0);
  expect(completion.output()).toBe('');
});
