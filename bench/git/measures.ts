import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createId } from '@ship/protocol';
import { startSandboxServer } from '@ship/sandbox-server';
import {
  connectForge,
  deliverTurn,
  gatewayRemotes,
  prepareRepository,
  sandboxShell,
  saveCheckpoint,
} from '../../apps/control-plane/src/git/index.ts';
import { E2bSandboxes } from '../../apps/control-plane/src/sandbox/e2b.ts';
import { SECRET } from '../../apps/control-plane/test/git/support/control-plane.ts';
import { people, TestSession, turn } from '../../apps/control-plane/test/git/support/world.ts';
import { preparedDataFolder } from '../../scripts/testing/prepared-data.ts';
import { repeat, spread, type Spread, timed } from '../statistics.ts';

const run = promisify(execFile);
const API_KEY = 'bench-key-0123456789';

export function gatewayRemote(door: string, fullName: string): Promise<string> {
  const [owner = '', name = ''] = fullName.split('/');
  const forge = { kind: 'local' as const, owner, name };
  return gatewayRemotes({ secret: SECRET, door, forge, sessionId: createId('ses'), now: Date.now })(
    'ship-bench',
  );
}

interface CloneParts {
  folder: string;
  direct: string;
  gateway: string;
  mirror: string;
  times: number;
}

export async function cloneTimes({ folder, direct, gateway, mirror, times }: CloneParts) {
  const target = join(folder, 'clone');
  const clone = (...argv: string[]): Promise<Spread> =>
    repeat(times, async () => {
      rmSync(target, { recursive: true, force: true });
      return timed(() => run('git', ['clone', '-q', ...argv, target]));
    });
  return {
    directFull: await clone(direct),
    directReference: await clone('--reference', mirror, direct),
    gatewayFull: await clone(gateway),
    gatewayMirror: await clone('--reference-if-able', mirror, gateway),
    gatewayShallow: await clone('--depth=1', '--single-branch', gateway),
  };
}

interface DeliveryParts {
  folder: string;
  forge: { apiUrl: string; gitUrl: string };
  token: string;
  source: string;
  plane: string;
  times: number;
}

/** In a real sandbox, through its door, the gateway in workerd and the forge. */
export async function deliveryTimes({ forge: urls, token, source, plane, times }: DeliveryParts) {
  const data = await preparedDataFolder();
  const server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(data, 'sandboxes'),
    gateways: { git: { address: plane } },
  });
  const port = new E2bSandboxes({
    apiKey: API_KEY,
    apiUrl: server.apiUrl,
    sandboxUrl: server.sandboxUrl,
  });
  const bindings = { FORGE_API_URL: urls.apiUrl, FORGE_GIT_URL: urls.gitUrl, FORGE_TOKEN: token };
  const seen = { prepare: [0], firstDelivery: [0], laterDelivery: [0], checkpoint: [0] };
  for (const values of Object.values(seen)) values.pop();
  try {
    for (let i = 0; i < times; i += 1) {
      const sessionId = createId('ses');
      const sandboxId = await port.create({
        sessionId,
        template: 'base',
        timeoutMs: 600_000,
        env: {},
      });
      const forge = await connectForge(source, bindings);
      const door = 'http://127.0.0.1:7002';
      const session = new TestSession({
        shell: sandboxShell(port, sandboxId),
        folder: '/home/user/app',
        forge,
        remoteFor: gatewayRemotes({ secret: SECRET, door, forge, sessionId, now: Date.now }),
        session: {
          sessionId,
          title: 'Bench',
          createdAtMs: Date.now(),
          cardId: null,
          base: null,
          branch: null,
        },
        people,
      });
      const edit = (text: string) =>
        port.writeFile(sandboxId, '/home/user/app/part-0/new.txt', text);
      const deliver = () =>
        timed(async () => session.record((await deliverTurn(session.deps, turn())).events));
      seen.prepare.push(
        await timed(async () => session.record(await prepareRepository(session.deps))),
      );
      await edit('one\n');
      seen.firstDelivery.push(await deliver());
      await edit('two\n');
      seen.checkpoint.push(
        await timed(async () => session.record(await saveCheckpoint(session.deps))),
      );
      seen.laterDelivery.push(await deliver());
      await port.destroy(sandboxId);
    }
  } finally {
    await server.close('stop');
    rmSync(data, { recursive: true, force: true });
  }
  return {
    prepare: spread(seen.prepare),
    firstDelivery: spread(seen.firstDelivery),
    laterDelivery: spread(seen.laterDelivery),
    checkpoint: spread(seen.checkpoint),
  };
}
