import { CommandExitError } from 'e2b';
import { describe, expect, it } from 'vitest';

import { isCloud, type Target } from '../target.ts';

interface LedgerEntry {
  host: string;
  verdict: string;
  rule: string;
  connections: number;
  bytesIn: number;
}

const get = (url: string): string => `curl -sS -m 5 -o - -w ' %{http_code}' ${url}`;

/** Local only: the policy differs from E2B's on purpose (an allow-list). */
export function networkTests(target: () => Target): void {
  describe.skipIf(isCloud)('network', () => {
    it('allows listed hosts, refuses others, and records both in the ledger', async () => {
      const sandbox = await target().create();
      const allowed = await sandbox.commands.run(get('http://allowed.test/x'));
      expect(allowed.stdout).toBe('hello from outside 200');
      const refused = await sandbox.commands.run(get('http://refused.test/'));
      expect(refused.stdout).toMatch(/not-listed[^]* 403$/);
      await expect(sandbox.commands.run(get('https://refused.test/'))).rejects.toThrow(
        CommandExitError,
      );
      const { entries } = (await target().api(`/ship/sandboxes/${sandbox.sandboxId}/ledger`)) as {
        entries: LedgerEntry[];
      };
      expect(entries).toMatchObject([
        {
          host: 'allowed.test',
          verdict: 'allow',
          rule: 'owner-allow',
          connections: 1,
          bytesIn: 18,
        },
        { host: 'refused.test', verdict: 'deny', rule: 'not-listed' },
        { host: 'refused.test', verdict: 'deny', rule: 'not-listed' },
      ]);
    });

    it('refuses names with private addresses, alternative spellings, closed ports and redirects to the inside', async () => {
      const sandbox = await target().create({ network: { allowOut: ['*'] } });
      const { local } = target();
      local?.dialled.splice(0);
      for (const url of [
        'http://private.test/',
        'http://2130706433/',
        'http://0x7f.1/',
        'http://[::ffff:10.0.0.1]/',
        'http://169.254.169.254/latest',
        'http://allowed.test:22/',
      ]) {
        const { stdout } = await sandbox.commands.run(`NO_PROXY= no_proxy= ${get(`'${url}'`)}`);
        expect(stdout).toMatch(/ (?:403|400)$/);
      }
      expect(local?.dialled).toEqual([]);
      const redirected = await sandbox.commands.run(
        `NO_PROXY= no_proxy= ${get('-L http://allowed.test/redirect')}`,
      );
      expect(redirected.stdout).toMatch(/ 403$/);
    });

    it("respects the sandbox's own rules, also when they change", async () => {
      const sandbox = await target().create({
        network: { denyOut: ({ allTraffic }) => [allTraffic], allowOut: ['mine.test'] },
      });
      const status = async (host: string): Promise<string> =>
        (await sandbox.commands.run(get(`http://${host}/`))).stdout.slice(-3);
      expect([await status('mine.test'), await status('allowed.test')]).toEqual(['200', '403']);
      await sandbox.updateNetwork({});
      expect([await status('mine.test'), await status('allowed.test')]).toEqual(['403', '200']);
      await sandbox.updateNetwork({ allowInternetAccess: false });
      expect(await status('allowed.test')).toBe('403');
      expect((await sandbox.getInfo()).allowInternetAccess).toBe(false);
    });

    it('has no route except the proxy', async () => {
      const sandbox = await target().create();
      const direct = `NO_PROXY='*' no_proxy='*' ${get('http://93.184.216.34/')}`;
      await expect(sandbox.commands.run(direct)).rejects.toThrow(CommandExitError);
    });

    it('reaches only the model gateway’s prefix of the control plane', async () => {
      const sandbox = await target().create();
      const { local } = target();
      local?.asked.splice(0);
      const ok = await sandbox.commands.run(get('http://127.0.0.1:7001/v1/models'));
      expect(ok.stdout).toBe('hello from outside 200');
      expect(local?.asked[0]).toMatch(/\/gateway\/models\/v1\/models$/);
      const climb = await sandbox.commands.run(
        get('--path-as-is http://127.0.0.1:7001/../../api/sessions'),
      );
      expect(climb.stdout).toMatch(/ 400$/);
      const git = await sandbox.commands.run(get('http://127.0.0.1:7002/x'));
      expect(git.stdout).toMatch(/No git gateway[^]* 503$/);
    });
  });
}
