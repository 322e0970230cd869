/** Attacks on the host's files: attempts 1, 11, 12 and 17 of the list. */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../src/envd/auth.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;
let secretFile: string;
const SECRET = 'canary-7f3a91';
const TOKEN = 'token-of-files';

beforeAll(async () => {
  harness = await openAttackHarness();
  secretFile = join(harness.folder, 'secret.txt');
  writeFileSync(secretFile, SECRET);
  await harness.start('files');
  await harness.start('secured', { accessToken: TOKEN });
}, 60_000);
afterAll(async () => await harness.end(), 60_000);

async function http(
  id: string,
  method: string,
  path: string,
  body = '',
  headers: Record<string, string> = {},
) {
  const socket = await harness.backend.open(id);
  return await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const call = request(
      {
        createConnection: () => socket,
        method,
        path,
        headers: { connection: 'close', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

const octets = { 'content-type': 'application/octet-stream' };
const rpc = (method: string, message: unknown) =>
  http('files', 'POST', `/filesystem.Filesystem/${method}`, JSON.stringify(message), {
    'content-type': 'application/json',
  });

describe('1: host files', () => {
  it.each(['user', 'root'] as const)(
    'as %s, no host file is readable by any path',
    async (user) => {
      const tries = [
        secretFile,
        `/proc/1/root${secretFile}`,
        `/proc/2/root${secretFile}`,
        `/proc/self/root${secretFile}`,
        `/..${secretFile}`,
      ];
      const { output } = await harness.shell(
        'files',
        `for path in ${tries.join(' ')} /etc/shadow /etc/ssh/ssh_host_rsa_key /var/lib/dpkg/status; do cat "$path" && echo READ; done; ls /root /home /opt /srv /var/lib /boot /work 2>/dev/null`,
        user,
      );
      expect(output).not.toContain('READ');
      expect(output).not.toContain(SECRET);
    },
  );

  it('host folders that a sandbox mounts cannot be changed from inside', async () => {
    const before = statSync('/usr/bin').mtimeMs;
    const { output } = await harness.shell(
      'files',
      'touch /usr/bin/evil /usr/lib/evil /opt/envd/evil /bin/evil && echo WROTE',
      'root',
    );
    expect(output).not.toContain('WROTE');
    expect(statSync('/usr/bin').mtimeMs).toBe(before);
    expect(existsSync('/usr/bin/evil')).toBe(false);
  });
});

const outside = () => `../../../../../../../..${secretFile}`;

describe('11: links and dots through the file API', () => {
  it('reading through links and dots stays inside', async () => {
    await harness.shell(
      'files',
      `ln -sfn / ~/slash; ln -sfn ${secretFile} ~/link; ln -sfn /proc/1/root ~/init; ln -sfn /proc/self/fd ~/fds`,
    );
    const tries = [
      'link',
      outside(),
      `slash${secretFile}`,
      `init${secretFile}`,
      `/home/user/slash/..${secretFile}`,
    ];
    for (const path of tries) {
      const answer = await http('files', 'GET', `/files?path=${encodeURIComponent(path)}`);
      expect(answer.text).not.toContain(SECRET);
      expect([400, 404]).toContain(answer.status);
    }
  });

  it('writing through links and dots stays inside', async () => {
    for (const path of ['link', outside(), `slash${secretFile}`]) {
      await http('files', 'POST', `/files?path=${encodeURIComponent(path)}`, 'overwritten', octets);
    }
    expect(readFileSync(secretFile, 'utf8')).toBe(SECRET);
  });

  it('moving, listing, statting, watching and removing stay inside', async () => {
    await harness.shell('files', 'echo x > ~/mine');
    await rpc('Move', { source: 'mine', destination: outside() });
    await rpc('Move', { source: outside(), destination: 'stolen' });
    await rpc('Remove', { path: `slash${secretFile}` });
    await rpc('Remove', { path: outside() });
    const listing = await rpc('ListDir', { path: `slash${harness.folder}`, depth: 3 });
    const watching = await rpc('CreateWatcher', { path: `init${harness.folder}`, recursive: true });
    expect(readFileSync(secretFile, 'utf8')).toBe(SECRET);
    expect(readdirSync(harness.folder)).toContain('secret.txt');
    expect(listing.text).not.toContain('"data"');
    // With one uid inside, /proc/1/root can be entered; it is the sandbox's own root, so the host's changes are not visible.
    writeFileSync(join(harness.folder, 'new-on-host.txt'), '');
    const { watcherId = '' } = JSON.parse(watching.text) as { watcherId?: string };
    const events = await rpc('GetWatcherEvents', { watcherId });
    expect(events.text).not.toContain('new-on-host');
  });

  it('pipes and devices do not hang the file API', async () => {
    await harness.shell('files', 'mkfifo ~/pipe');
    expect((await http('files', 'GET', '/files?path=pipe')).status).toBe(400);
    expect((await http('files', 'POST', '/files?path=pipe', 'x', octets)).status).toBe(400);
    expect((await http('files', 'GET', '/files?path=/dev/zero')).status).toBe(400);
  });

  it('a signed URL is valid for its own path, operation and user only', async () => {
    const signature = sign(
      { path: 'ok.txt', operation: 'read', username: 'user', expiration: undefined },
      TOKEN,
    );
    const query = (path: string, username: string) =>
      `/files?path=${encodeURIComponent(path)}&username=${username}&signature=${encodeURIComponent(signature)}`;
    expect((await http('secured', 'GET', query('ok.txt', 'user'))).status).toBe(404);
    expect((await http('secured', 'GET', query('/etc/passwd', 'user'))).status).toBe(401);
    expect((await http('secured', 'GET', query('ok.txt', 'root'))).status).toBe(401);
    expect((await http('secured', 'POST', query('ok.txt', 'user'), 'x', octets)).status).toBe(401);
  });
});

describe('12: setuid', () => {
  it('a setuid file grants nothing, inside or outside', async () => {
    const made = await harness.shell(
      'files',
      'cp /usr/bin/python3 /home/user/sneaky && chmod 6755 /home/user/sneaky; ls -l /home/user/sneaky',
      'root',
    );
    expect(made.output).toContain('rws');
    const { output } = await harness.shell(
      'files',
      `~/sneaky -c 'import os; print("euid", os.geteuid())'`,
    );
    expect(output).toContain('euid 1000');
    const onHost = statSync(join(harness.folder, 'data/sandboxes/files/upper/home/user/sneaky'));
    expect(onHost.uid).not.toBe(0);
    expect(onHost.gid).not.toBe(0);
  });
});

describe('17: information', () => {
  it.each(['user', 'root'] as const)(
    'as %s, nothing names the host or its folders',
    async (user) => {
      const { output } = await harness.shell(
        'files',
        'cat /proc/self/mountinfo /proc/1/cmdline /proc/2/cmdline /proc/self/cgroup /etc/hostname /etc/hosts /proc/cmdline /proc/1/environ /proc/2/environ; env; hostname; cat /etc/machine-id; ls -l /proc/1/fd /proc/2/fd',
        user,
      );
      expect(output).toContain('/usr');
      expect(output).not.toContain(join(harness.folder, 'data'));
      expect(output).not.toContain(hostname() === 'sandbox' ? '\0' : `${hostname()}\n`);
      expect(output).not.toContain(process.cwd());
    },
  );

  it('no host descriptor is inherited, not even one that its parents left open', async () => {
    const { output } = await harness.shell(
      'files',
      'for f in /proc/self/fd/* /proc/2/fd/*; do readlink $f; done',
      'root',
    );
    const kinds = output
      .trim()
      .split('\n')
      .filter(
        (line) => !/^(socket:|pipe:|anon_inode:|\/dev\/null|\/proc\/|\/opt\/envd)/.test(line),
      );
    expect(kinds).toEqual([]);
    const numbers = await harness.shell('files', 'ls /proc/self/fd | tr "\\n" " "', 'root');
    expect(numbers.output.trim()).toBe('0 1 2 3');
  });

  it('the host kernel reveals nothing useful', async () => {
    const { output } = await harness.shell(
      'files',
      'wc -c /proc/kallsyms /proc/kmsg /proc/keys /proc/timer_list /proc/config.gz 2>/dev/null; dmesg && echo READ',
      'root',
    );
    expect(output).toMatch(/^\s*0 total/m);
    expect(output).not.toContain('READ');
  });
});
