/**
 * A company's network, in two network namespaces that this test creates. `company` has a registry at a private address and
 * a proxy; `machine` has the sandbox server, and a route only to the proxy's address. The addresses exist only there.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { makeAuthority, makeCertificate } from './authority.ts';
import { MACHINE, PROXY, REGISTRY, REGISTRY_NAME, type Report } from './addresses.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const company = `ship-company-${process.pid}`;
const machine = `ship-machine-${process.pid}`;
const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const LIMIT_MS = 5_000;

function makeNamespaces(): void {
  for (const namespace of [company, machine]) {
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
  }
  // Created inside, so that neither end is ever in the host's namespace.
  ip('-n', machine, 'link', 'add', 'veth0', 'type', 'veth', 'peer', 'name', 'veth1');
  ip('-n', machine, 'link', 'set', 'veth1', 'netns', company);
  ip('-n', machine, 'addr', 'add', `${MACHINE}/24`, 'dev', 'veth0');
  ip('-n', company, 'addr', 'add', `${PROXY}/24`, 'dev', 'veth1');
  ip('-n', company, 'addr', 'add', `${REGISTRY}/32`, 'dev', 'lo');
  ip('-n', machine, 'link', 'set', 'veth0', 'up');
  ip('-n', company, 'link', 'set', 'veth1', 'up');
}

// The title states the reason, because a run shows the titles of skipped tests.
describe.skipIf(!isRoot)(
  'a registry at a private address, behind a proxy (needs root for network namespaces)',
  () => {
    let folder: string;
    let data: string;
    let secureData: string;
    let servers: ChildProcess | undefined;
    let report: Report;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'ship-company-'));
      data = await preparedDataFolder();
      secureData = await preparedDataFolder();
      makeAuthority(folder, REGISTRY_NAME);
      makeCertificate(folder, 'proxy', `IP:${PROXY}`);
      makeNamespaces();
      const host = readlinkSync('/proc/self/ns/net');
      const inside = (namespace: string, name: string) => [
        'netns',
        'exec',
        namespace,
        process.execPath,
        script(name),
        folder,
        host,
      ];
      servers = spawn('ip', inside(company, 'company.ts'), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(servers.stdout ?? servers, 'data');
      const { stdout } = await run(
        'ip',
        [...inside(machine, 'machine.ts'), join(data, 'sandboxes'), join(secureData, 'sandboxes')],
        {
          timeout: 150_000,
          maxBuffer: 10_000_000,
        },
      );
      report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Report;
    }, 180_000);
    afterAll(async () => {
      if (servers !== undefined && servers.exitCode === null) {
        servers.kill('SIGKILL');
        await once(servers, 'exit');
      }
      for (const namespace of [machine, company])
        await run('ip', ['netns', 'del', namespace]).catch(() => undefined);
      for (const made of [folder, data, secureData]) removeFolder(made);
    }, 60_000);

    it('[NW8] npm installs a package with no setting but proxy, certificates and the entry for its host', () => {
      expect(report.install).toMatchObject({ exitCode: 0 });
      expect(report.installed).toBe('it came from the registry of the company');
      expect(report.proxied).toContain('registry.npmjs.org:443');
    });

    it('[NW9] curl, git, Python and Node trust the machine’s certificates', () => {
      // And Java, on machines that have it.
      const { java = 0, ...others } = report.trusted;
      expect(others).toEqual({ curl: 0, git: 0, python: 0, node: 0 });
      expect(java).toBe(0);
    });

    it('[NW10] a refused host is named with its rule within 5 s', () => {
      const { output, exitCode, tookMs } = report.refused;
      expect(exitCode).not.toBe(0);
      expect(output).toContain('Ship refused "refused.corp.test" (rule not-listed)');
      expect(tookMs).toBeLessThan(LIMIT_MS);
    });

    it('[NW7] without its entry the same host is refused for its address', () => {
      expect(report.withoutEntry.output).toContain(
        'Ship refused "registry.npmjs.org" (rule address)',
      );
      expect(report.withoutEntry.exitCode).not.toBe(0);
    });

    it('[NW12] a proxy at an https:// address with a certificate of the company carries the egress and the registry gateway', () => {
      const { install, tunnel, forward, asked } = report.secure;
      expect(install.output).toContain('it came from the registry of the company');
      expect(tunnel.output).toContain('"name":"tiny"');
      expect(forward.output).toBe('forwarded');
      expect(new Set(asked)).toEqual(
        new Set(['authorized registry.npmjs.org:443', 'authorized http://deb.corp.test/']),
      );
    });

    it('the proxy’s credentials reach the proxy, and nothing inside', () => {
      expect(report.authorized).toBe(true);
      expect(report.secretInside).toBe('');
      expect(report.insideBytes).toBeGreaterThan(100_000);
    });
  },
);
