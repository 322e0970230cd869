/** The mirror that sessions of a large repository share, built and used by real sessions. Shorter: mirror.test.ts. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type SessionReceipt, type SessionView, createId } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mirrorTemplate } from '../../src/git/index.ts';
import { MIRROR_FOLDER } from '../../src/git/mirror/template.ts';
import { commit, git, repository } from './support/git.ts';
import { type Whole, startWhole } from './support/whole.ts';

const isIdle = ({ state, summary }: SessionView) =>
  state.activity.status === 'idle' && state.queue.length === 0 && summary.pullRequest !== null;

describe('the mirror of a repository over the API', { timeout: 180_000 }, () => {
  let whole: Whole;

  beforeAll(async () => {
    const input = { filePath: '{{folder}}/hello.txt', content: 'hello\n' };
    whole = await startWhole([
      {
        name: 'hello',
        when: { prompt: 'say hello' },
        steps: [{ calls: [{ tool: 'write', input }] }, { say: 'Done.' }],
      },
    ]);
  }, 180_000);

  afterAll(() => whole.close(), 60_000);

  const newSession = async (prompt: string, location: string) => {
    const body = { requestId: whole.requestId(), repository: location, prompt };
    return (await whole.json<SessionReceipt>('POST', '/sessions', body)).sessionId;
  };

  it('[MR1] the first session of a large repository builds a mirror, and the next session uses it', async () => {
    const large = await repository(join(whole.data, 'large'));
    await commit(large, { 'large.bin': randomBytes(22_000_000) });
    await git(large, 'gc', '-q');
    await whole.until(await newSession('say hello', large), isIdle);
    const preferred = [await mirrorTemplate(large)];
    const options = { template: 'base', preferred, timeoutMs: 60_000, env: {}, egress: [] };
    const hasMirror = async () => {
      const sandboxId = await whole.port.create({ ...options, sessionId: createId('ses') });
      const argv = ['test', '-d', MIRROR_FOLDER] as const;
      const { exitCode } = await whole.port.run(sandboxId, { argv, timeoutMs: 60_000 });
      await whole.port.destroy(sandboxId);
      expect(exitCode).toBe(0);
    };
    await vi.waitFor(hasMirror, { timeout: 120_000, interval: 2_000 });
    const next = await newSession('say hello', large);
    await whole.until(next, isIdle);
    const [sandboxId = ''] = await whole.port.findAll((await whole.view(next)).state.sessionId);
    const alternates = '/home/user/repository/.git/objects/info/alternates';
    expect(await whole.port.readFile(sandboxId, alternates)).toBe(`${MIRROR_FOLDER}/objects\n`);
  });
});
