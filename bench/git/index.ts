/** Git on the way of a session: clones beside git's own best, the gateway beside a direct line, turn end to pull request. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startForge } from '@ship/forge';
import { startControlPlane } from '../../apps/control-plane/test/git/support/control-plane.ts';
import { type Report, goal, round } from '../table.ts';
import { cloneTimes, deliveryTimes, gatewayRemote } from './measures.ts';

const FILES = 1_000;
const FILE_BYTES = 20_000;
const TIMES = 3;
const TOKEN = 'bench-forge-token';

export async function benchGit(times = TIMES): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-bench-git-'));
  const forge = await startForge({
    root: join(folder, 'forge'),
    tokens: [{ token: TOKEN, login: 'ada' }],
  });
  mkdirSync(join(folder, 'plane'));
  const plane = await startControlPlane(join(folder, 'plane'), { ...forge, token: TOKEN });
  try {
    const source = makeRepository(join(folder, 'source'));
    const mirror = join(folder, 'mirror.git');
    execFileSync('git', ['clone', '-q', '--bare', source, mirror]);
    const name = await register(forge.apiUrl, source);
    const direct = `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/${name}.git`;
    const gateway = await gatewayRemote(plane.url, name);
    const clones = await cloneTimes({ folder, direct, gateway, mirror, times });
    const overhead = round(clones.gatewayFull.p50 / clones.directFull.p50);
    const delivery = await deliveryTimes({
      folder,
      forge,
      token: TOKEN,
      source,
      plane: plane.url,
      times,
    });
    return {
      clones,
      delivery,
      repositoryMb: Math.round((FILES * FILE_BYTES) / 1e6),
      goals: [
        goal('clone in full: through the gateway / direct', overhead, 1.5),
        goal('clone through the gateway with a mirror (ms, p50)', clones.gatewayMirror.p50, 5_000),
        goal('newest commit through the gateway (ms, p50)', clones.gatewayShallow.p50, 5_000),
        goal('sandbox ready to repository ready (ms, p50)', delivery.prepare.p50, 5_000),
        goal('turn end to draft pull request (ms, p50)', delivery.firstDelivery.p50, 3_000),
        goal('turn end to push, later turns (ms, p50)', delivery.laterDelivery.p50, 3_000),
        goal('checkpoint (ms, p50)', delivery.checkpoint.p50, 2_000),
      ],
    };
  } finally {
    await plane.stop();
    await forge.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files that do not compress, as most of a large repository's history does not. */
function makeRepository(folder: string): string {
  for (let i = 0; i < FILES; i += 1) {
    const part = join(folder, `part-${i % 40}`);
    mkdirSync(part, { recursive: true });
    writeFileSync(join(part, `file-${i}.bin`), randomBytes(FILE_BYTES));
  }
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...argv], {
      cwd: folder,
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first commit');
  return folder;
}

async function register(apiUrl: string, path: string): Promise<string> {
  const answer = await fetch(`${apiUrl}/ship/repositories`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ path }),
  });
  return ((await answer.json()) as { full_name: string }).full_name;
}
