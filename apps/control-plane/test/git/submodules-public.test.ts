import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningForge, startForge } from '@ship/forge';
import { prepareRepository } from '../../src/git/index.ts';
import { git, repository } from './support/git.ts';
import { FOLDER, type Sandboxed, startSandboxed } from './support/sandboxed.ts';
import { addSubmodule } from './support/submodule.ts';

const HOST = 'git.public.test';
const MINUTE_MS = 60_000;
const run = promisify(execFile);

/** A real forge behind TLS stands in for the internet: sandboxes reach it only through their egress proxy. */
describe('submodules from the internet', { timeout: 2 * MINUTE_MS }, () => {
  let folder: string;
  let outside: RunningForge;
  let front: Server;
  let world: Sandboxed;
  let sha: string;
  const seen: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ship-public-'));
    outside = await startForge({ root: join(folder, 'forge') });
    await fetch(`${outside.apiUrl}/user/repos`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'lib' }),
    });
    const lib = await repository(join(folder, 'lib'));
    await git(lib, 'push', '-q', `${outside.gitUrl}/local/lib.git`, 'main');
    sha = await git(lib, 'rev-parse', 'HEAD');
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
    const files = ['-keyout', key, '-out', cert, '-days', '1'];
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject]);
    front = createServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (asked, answer) => {
        const { method = 'GET', url = '/', headers } = asked;
        seen.push(`${method} ${url} ${headers.authorization ?? 'anonymous'}`);
        if (url.startsWith('/local/private'))
          return void answer.writeHead(401, { 'www-authenticate': 'Basic' }).end();
        const { host: _, ...rest } = headers;
        const onward = request(`${outside.gitUrl}${url}`, { method, headers: rest }, (came) => {
          answer.writeHead(came.statusCode ?? 502, came.headers);
          came.pipe(answer);
        });
        asked.pipe(onward);
      },
    );
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
    const { port } = front.address() as AddressInfo;
    world = await startSandboxed({
      certificateFiles: [cert],
      resolve: async () => ['93.184.216.34'],
      dial: async () => connect(port, '127.0.0.1'),
    });
  }, 2 * MINUTE_MS);
  afterAll(async () => {
    await world.close();
    front.closeAllConnections();
    front.close();
    await outside.close();
    await rm(folder, { recursive: true, force: true });
  }, MINUTE_MS);

  const begun = async (name: string, url: string) => {
    const app = await repository(join(world.data, name));
    await addSubmodule(app, { path: 'lib', url, sha });
    const made = await world.session(app, undefined, [], [HOST]);
    made.session.record(await prepareRepository(made.session.deps));
    const noted = made.session.events.find(({ type }) => type === 'checkout.noted');
    return { ...made, noted: noted?.type === 'checkout.noted' ? noted.data : undefined };
  };

  it('[GW29] are fetched over https through the egress proxy, without a credential', async () => {
    const { noted, run: inside } = await begun('public', `https://me:secret@${HOST}/local/lib.git`);
    const from = `https://${HOST}/local/lib.git`;
    expect(noted).toEqual({ submodules: [], initialized: [{ path: 'lib', from }], lfsFiles: 0 });
    expect((await inside('user', `cat ${FOLDER}/lib/README.md`)).stdout).toBe('# app\n');
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((line) => !line.endsWith('anonymous'))).toEqual([]);
  });

  it('[GW29] a private submodule, and one at a host that sandboxes may not reach, are reported with a remedy', async () => {
    const closed = await begun('private', `https://${HOST}/local/private.git`);
    expect(closed.noted?.submodules[0]?.reason).toMatch(
      /cannot be read without a token.*Settings → Repositories/,
    );
    const far = await begun('far', 'git@other.test:local/lib.git');
    expect(far.noted?.submodules[0]?.reason).toMatch(/may not reach the host.*Settings → Network/);
  });
});
