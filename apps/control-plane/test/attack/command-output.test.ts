import type { SessionId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryPeak } from '../support/memory-peak.ts';
import { type Harness, openHarness } from '../harness.ts';
import { until } from '../harness/api.ts';

const MINUTE_MS = 60_000;
/** Far more than any honest output takes, far less than an endless one. */
const MAX_GROWTH_MB = 150;

/** Real workerd, real sandbox server. Every command of the control plane in a sandbox reads the user's profile first. */
describe('attack: output of commands', { timeout: 2 * MINUTE_MS }, () => {
  let harness: Harness;
  let sessionId: SessionId;
  let sandboxId: string;

  beforeAll(async () => {
    harness = await openHarness();
    ({ sessionId } = await harness.api.create());
    const sandbox = await until(
      () => harness.api.sandbox(sessionId),
      ({ status }) => status === 'running',
      MINUTE_MS,
    );
    sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : '';
    await harness.sandboxes.run(sandboxId, 'echo "yes attack" > ~/.bash_profile');
  }, 2 * MINUTE_MS);
  afterAll(() => harness.close(), MINUTE_MS);

  const callRoute = async (path: string) => {
    const { status, json } = await harness.api.call('GET', `/sessions/${sessionId}${path}`);
    return { status, code: (json as { error?: { code: string } } | undefined)?.error?.code };
  };

  it('[AT-H41] attack: a command that prints forever fills the memory of the control plane', async () => {
    const { pid } = harness.plane;
    const peak = new MemoryPeak(pid);
    // Ports, editor and files are each read by a command in the sandbox.
    const answers = [];
    for (const path of ['/ports', '/editor', '/files/search?query=a'])
      answers.push(await callRoute(path));
    const grownMb = peak.stop();
    expect(harness.plane.output).not.toContain('Fatal');
    expect(harness.plane.pid).toBe(pid);
    expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
    expect(answers).toContainEqual({ status: 409, code: 'limit-reached' });
    // A command that is left running would take CPU time from the next one.
    await until(
      () => harness.sandboxes.commands(sandboxId),
      (running) => running.length === 0,
    );
  });
});
