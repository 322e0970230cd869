import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attackedForge } from '../support/attacked-forge.ts';
import { failure } from '../support/forge.ts';
import { git } from '../support/git.ts';

const world = attackedForge();

/** git passes the repository to its subprocesses in the environment. Empty when the process has ended. */
function environmentOf(pid: string): string {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/environ`, 'utf8') : '';
  } catch {
    return '';
  }
}

const pktLine = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

describe('sizes and malformed traffic', () => {
  test('[AT-F09] attack: ends the forge with a huge body, declared or not', async () => {
    const headers = { authorization: 'token writer-token' };
    const big = await world.forge
      .fetch('/repos/ada/app/issues', {
        method: 'POST',
        headers,
        body: Buffer.alloc(33 * 1024 * 1024, 'a'),
      })
      .catch(() => undefined);
    expect(big === undefined || big.status === 413).toBe(true);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const init = { method: 'POST', headers, body: endless, duplex: 'half' } as RequestInit;
    const answer = await fetch(`${world.forge.apiUrl}/repos/ada/app/issues`, init).catch(
      () => undefined,
    );
    expect(answer === undefined || answer.status === 413).toBe(true);
    expect((await world.raw('/user')).status).toBe(200);
  });

  test('[AT-F10] attack: ends the forge, or makes it fail, with long texts and deep JSON', async () => {
    const octokit = world.forge.octokit('writer-token');
    const at = { owner: 'ada', repo: 'app' };
    expect(
      (await failure(octokit.rest.issues.create({ ...at, title: 'x'.repeat(300) }))).status,
    ).toBe(422);
    expect(
      (await failure(octokit.rest.issues.create({ ...at, title: 'x', body: 'x'.repeat(70_000) })))
        .status,
    ).toBe(422);
    const deep = Buffer.from('['.repeat(100_000));
    expect((await world.raw('/repos/ada/app/issues', {}, 'POST', deep)).status).toBe(400);
  });

  test('[AT-F11] attack: changes a branch, or ends the forge, with malformed pkt-lines', async () => {
    const before = await git(world.work, 'ls-remote', 'origin');
    const type = { 'content-type': 'application/x-git-receive-pack-request' };
    const zero = '0'.repeat(40);
    const sha = await git(world.work, 'rev-parse', 'main');
    const bodies = [
      'zzzz',
      'ffff',
      '0003',
      '0000',
      '00',
      pktLine(`${sha} ${zero} refs/heads/main\n`),
      `${pktLine(`${zero} ${sha} refs/heads/../../evil\0report-status`)}0000`,
      `${pktLine(`${zero} ${sha} refs/heads/no-pack\0report-status`)}0000`,
      `${pktLine(`${zero} ${'f'.repeat(40)} refs/heads/no-object\0report-status`)}0000PACK\0\0\0\u0002\0\0\0\0`,
      `${pktLine(`${zero} ${sha} refs/heads/junk\0report-status`)}0000${'PACKgarbage'.repeat(100)}`,
      pktLine('x'.repeat(60_000)).repeat(20),
    ];
    for (const body of bodies) {
      const answer = await world.raw(
        '/git/ada/app.git/git-receive-pack',
        type,
        'POST',
        Buffer.from(body, 'latin1'),
      );
      expect(answer.status).toBeLessThan(600);
    }
    const gzip = { ...type, 'content-encoding': 'gzip' };
    await world.raw('/git/ada/app.git/git-receive-pack', gzip, 'POST', Buffer.from('not gzip'));
    const refs = (await git(world.work, 'ls-remote', 'origin'))
      .split('\n')
      .filter((ref) => !ref.endsWith('no-pack'));
    expect(refs.join('\n')).toBe(before);
  });

  test('[AT-F12] attack: leaves processes behind by going away in the middle of a push', async () => {
    const { hostname, port } = new URL(world.forge.apiUrl);
    for (let index = 0; index < 5; index += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(
        'POST /git/ada/app.git/git-receive-pack HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: token writer-token\r\n' +
          'content-type: application/x-git-receive-pack-request\r\ncontent-length: 1000000\r\n\r\n00',
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
    }
    const deadline = Date.now() + 10_000;
    const left = () =>
      readdirSync('/proc').filter((pid) =>
        environmentOf(pid).includes(join(world.forge.root, '.forge')),
      );
    while (left().length > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(left()).toEqual([]);
    await git(world.work, 'push', '-q', 'origin', 'main:refs/heads/still-works');
  });
});
