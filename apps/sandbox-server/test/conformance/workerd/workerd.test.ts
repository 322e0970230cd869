/** The same SDK, from a Worker in workerd: as the control plane runs it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { isCloud, openTarget, type Target } from '../target.ts';
import { startWorkerd, type WorkerdProcess } from './workerd-process.ts';

describe.skipIf(isCloud)('from workerd', () => {
  let target: Target;
  let workerd: WorkerdProcess;
  beforeAll(async () => {
    target = await openTarget();
    workerd = await startWorkerd();
  }, 180_000);
  afterAll(async () => {
    await workerd.stop();
    await target.close();
  }, 60_000);

  it.each(['commands', 'streams', 'pty', 'files', 'signed', 'ports', 'life'])(
    '%s',
    { timeout: 60_000 },
    async (name) => {
      const body = JSON.stringify({ name, options: target.options });
      const response = await fetch(workerd.url, { method: 'POST', body });
      expect(await response.json()).toEqual({ ok: true });
    },
  );
});
