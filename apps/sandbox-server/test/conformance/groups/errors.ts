import {
  AuthenticationError,
  Sandbox,
  SandboxError,
  SandboxNotFoundError,
  Template,
  TimeoutError,
  Volume,
} from 'e2b';
import { describe, expect, it } from 'vitest';

import { isCloud, type Target } from '../target.ts';

export function errorTests(target: () => Target): void {
  describe('error classes', () => {
    it('wrong key, unknown sandbox, dead sandbox', async () => {
      const options = {
        ...target().options,
        apiKey: 'e2b_0000000000000000000000000000000000000000',
      };
      await expect(Sandbox.create('base', options)).rejects.toThrow(AuthenticationError);
      expect(await Sandbox.kill('inotthere000', target().options)).toBe(false);
      await expect(Sandbox.getInfo('inotthere000', target().options)).rejects.toThrow(
        SandboxNotFoundError,
      );
      await expect(Sandbox.pause('inotthere000', target().options)).rejects.toThrow(
        SandboxNotFoundError,
      );
      await expect(Sandbox.setTimeout('inotthere000', 1_000, target().options)).rejects.toThrow(
        SandboxNotFoundError,
      );
      const dead = await target().create();
      await dead.kill();
      await expect(dead.commands.run('true')).rejects.toThrow(SandboxNotFoundError);
      await expect(dead.files.read('x')).rejects.toThrow(TimeoutError);
      await expect(dead.setTimeout(1_000)).rejects.toThrow(SandboxNotFoundError);
    });

    it('unknown template and wrong fields', async () => {
      await expect(target().create({ template: 'no-such-template' })).rejects.toMatchObject({
        statusCode: 404,
      });
      await expect(target().create({ network: { allowOut: ['not a host!'] } })).rejects.toThrow(
        SandboxError,
      );
    });

    it('the token of one sandbox is refused by another', async () => {
      const one = await target().create();
      const two = await target().create();
      const { envdAccessToken } = one as unknown as { envdAccessToken: string };
      const headers = { 'X-Access-Token': envdAccessToken };
      const reply = await target().fetchPort(two, 49983, '/files?path=/etc/passwd', { headers });
      expect(reply.status).toBe(401);
    });

    it.skipIf(isCloud)('cloud-only features are refused with a remedy', async () => {
      const { options } = target();
      await expect(Volume.create('v', options)).rejects.toThrow(/snapshots/);
      await expect(Template.build(Template().fromBaseImage(), 'x', options)).rejects.toThrow(
        /templates\//,
      );
      const rules = { 'a.test': [{ transform: { headers: { Authorization: 'secret' } } }] };
      await expect(target().create({ network: { rules } })).rejects.toThrow(/gateway/);
    });
  });
}
