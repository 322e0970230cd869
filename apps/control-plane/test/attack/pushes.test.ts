/** Attacks of one session on the forge, and on the saved work of another session there. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type RunningForge, startForge } from '@ship/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRemote, gitCapabilities } from '../../src/git/gateway/capability.ts';
import {
  type RunningControlPlane,
  SECRET,
  startControlPlane,
} from '../git/support/control-plane.ts';
import type { Holder } from '../git/support/bearer.ts';
import { commit, git, gitFailure, repository } from '../git/support/git.ts';

const TOKEN = 'forge-token-of-an-attacked-forge';
const SAVED = 'a line that was never committed';

let folder: string;
let forge: RunningForge;
let plane: RunningControlPlane;
let direct: string;
let attacker: Holder;
let victim: Holder;

async function remoteOf(holder: Holder): Promise<string> {
  const repositoryName = { forge: 'local' as const, owner: 'ada', name: 'app' };
  const branch = `ship-${holder.sessionId}`;
  const claims = { ...holder, repository: repositoryName, branch };
  const capability = await gitCapabilities(SECRET).issue(claims, Date.now() + 3_600_000);
  return gatewayRemote(plane.url, capability, claims);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-pushes-'));
  forge = await startForge({
    root: join(folder, 'forge'),
    tokens: [{ token: TOKEN, login: 'ada' }],
  });
  plane = await startControlPlane(folder, { ...forge, token: TOKEN });
  [attacker, victim] = [await plane.holder(), await plane.holder()];
  const made = await fetch(`${forge.apiUrl}/user/repos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'app' }),
  });
  if (!made.ok) throw new Error(`the forge made no repository: ${made.status}`);
  direct = `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/ada/app.git`;
  const origin = await repository(join(folder, 'origin'));
  await git(origin, 'push', '-q', direct, 'main');
});
afterAll(async () => {
  await plane.stop();
  await forge.close();
  await rm(folder, { recursive: true, force: true });
});

const clone = async (name: string, holder: Holder): Promise<string> => {
  const work = join(folder, name);
  await git(folder, 'clone', '-q', await remoteOf(holder), work);
  return work;
};
const refsAtForge = async () => (await git(folder, 'ls-remote', direct)).split('\n');

const objectsIn = (work: string) =>
  git(work, 'cat-file', '--batch', '--batch-all-objects', '--unordered');
const packetLine = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
const fetchOf = (sha: string) =>
  `${packetLine('command=fetch')}0001${packetLine('done\n')}${packetLine(`want ${sha}\n`)}0000`;

describe('pushes of a session', () => {
  it('[AT-M1F] attack: leaves any number of refs at the forge', async () => {
    const work = await clone('refs', attacker);
    const refs = Array.from(
      { length: 40 },
      (_, index) => `HEAD:refs/ship/${attacker.sessionId}/s${index}`,
    );
    expect(await gitFailure(work, 'push', 'origin', ...refs)).toContain('not a valid name');
    expect((await refsAtForge()).filter((line) => line.includes('refs/ship/'))).toEqual([]);
    await git(work, 'push', '-q', 'origin', `HEAD:refs/ship/${attacker.sessionId}/checkpoint`);
    const kept = (await refsAtForge()).filter((line) => line.includes('refs/ship/'));
    expect(kept).toHaveLength(1);
  });

  it('[AT-15M] attack: reads what another session saved, by list, by pattern or by name', async () => {
    const theirs = await clone('victim', victim);
    await commit(theirs, { 'notes.txt': SAVED }, 'saved');
    await git(theirs, 'push', '-q', 'origin', `HEAD:refs/ship/${victim.sessionId}/checkpoint`);
    const work = await clone('reader', attacker);
    await git(work, 'fetch', '-q', 'origin', '+refs/*:refs/stolen/*');
    await gitFailure(work, 'fetch', '-q', 'origin', `refs/ship/${victim.sessionId}/checkpoint`);
    await git(work, '-c', 'protocol.version=0', 'fetch', '-q', 'origin', '+refs/*:refs/older/*');
    expect(await git(work, 'ls-remote', 'origin')).not.toContain(victim.sessionId);
    const objects = await git(work, 'cat-file', '--batch', '--batch-all-objects');
    expect(objects).not.toContain(SAVED);
  });

  describe('with the hash of what another session saved', () => {
    const SECRET_LINE = 'a line that only its author has seen';
    const [V0, V2] = [
      ['-c', 'protocol.version=0'],
      ['-c', 'protocol.version=2'],
    ];
    let saved: { commit: string; tree: string; blob: string };
    beforeAll(async () => {
      const theirs = await clone('author', victim);
      const sha = await commit(theirs, { 'draft.txt': SECRET_LINE }, 'saved');
      const resolved = (name: string) => git(theirs, 'rev-parse', name);
      saved = {
        commit: sha,
        tree: await resolved('HEAD^{tree}'),
        blob: await resolved('HEAD:draft.txt'),
      };
      await git(theirs, 'push', '-qf', 'origin', `HEAD:refs/ship/${victim.sessionId}/checkpoint`);
    });
    it.each([
      ['protocol 2', V2, []],
      ['protocol 0', V0, []],
      ['protocol 2, shallow', V2, ['--depth', '1']],
      ['protocol 2, with a filter', V2, ['--filter=blob:limit=1m']],
    ])('[AT-15M2] attack: fetches it (%s)', async (name, version, options) => {
      const work = await clone(`hash ${name}`, attacker);
      for (const sha of Object.values(saved))
        await gitFailure(work, ...version, 'fetch', '-q', ...options, 'origin', sha);
      expect(await objectsIn(work)).not.toContain(SECRET_LINE);
    });

    it.each<[string, string, (body: string) => BodyInit, Record<string, string>]>([
      ['wanted last', 'git-upload-pack', fetchOf, {}],
      [
        'compressed',
        'git-upload-pack',
        (sha) => gzipSync(fetchOf(sha)),
        { 'content-encoding': 'gzip' },
      ],
      ['in capitals', 'git-upload-pack', (sha) => fetchOf(sha.toUpperCase()), {}],
      ['as a push', 'git-upload-pack?service=git-receive-pack', fetchOf, {}],
    ])('[AT-15M3] attack: fetches it without git (%s)', async (_, path, body, headers) => {
      const answer = await fetch(`${await remoteOf(attacker)}/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-git-upload-pack-request',
          'git-protocol': 'version=2',
          ...headers,
        },
        body: body(saved.commit),
      });
      expect(Buffer.from(await answer.arrayBuffer()).includes('PACK')).toBe(false);
    });

    it.each(['itself', 'as a parent', 'as a tree', 'as a file'])(
      '[AT-15M4] attack: puts it on its own branch by pushing its hash alone (%s), and fetches that',
      async (way) => {
        const work = await clone(`borrow ${way}`, attacker);
        const made: string[] = [];
        const make = async (type: string, content: string) => {
          await writeFile(join(work, 'object'), content, 'latin1');
          made.push(await git(work, 'hash-object', '-w', '-t', type, '--literally', 'object'));
          return made.at(-1) ?? '';
        };
        const own = await git(work, 'rev-parse', 'HEAD^{tree}');
        const file = () =>
          make('tree', `100644 stolen\0${Buffer.from(saved.blob, 'hex').toString('latin1')}`);
        const tree = { 'as a tree': saved.tree, 'as a file': await file() }[way] ?? own;
        const parent = way === 'as a parent' ? saved.commit : await git(work, 'rev-parse', 'HEAD');
        const by = 'a <a@example.com> 1700000000 +0000';
        const sha = await make(
          'commit',
          `tree ${tree}\nparent ${parent}\nauthor ${by}\ncommitter ${by}\n\nborrowed\n`,
        );
        const branch = `refs/heads/ship-${attacker.sessionId}`;
        const before = (await refsAtForge()).find((each) => each.endsWith(branch))?.slice(0, 40);
        const after = way === 'itself' ? saved.commit : sha;
        await writeFile(join(work, 'list'), way === 'itself' ? '' : made.join('\n'));
        await git(work, 'config', 'alias.pack', '!git pack-objects -q --stdout < list > pack');
        await git(work, 'pack');
        const command = `${before ?? '0'.repeat(40)} ${after} ${branch}\0 report-status\n`;
        const head = Buffer.from(`${packetLine(command)}0000`);
        await fetch(`${await remoteOf(attacker)}/git-receive-pack`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-git-receive-pack-request' },
          body: Buffer.concat([head, await readFile(join(work, 'pack'))]),
        });
        expect(await objectsIn(await clone(`borrowed ${way}`, attacker))).not.toContain(
          SECRET_LINE,
        );
      },
    );

    it('[AT-15M5] attack: learns the hashes of saved states from the refs that the forge advertises before a push', async () => {
      const url = `${await remoteOf(attacker)}/info/refs?service=git-receive-pack`;
      const advertised = await (await fetch(url)).text();
      expect(advertised).toContain('refs/heads/main');
      expect(advertised).not.toContain(saved.commit);
    });
  });
});
