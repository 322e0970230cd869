import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ROOT } from '../steps.ts';
import { planInstall } from './debian.mjs';
import { withSetupLock } from './lock.mjs';
import { CACHE } from './paths.mjs';
import { SetupError, runStep } from './report.mjs';

const setup = (profile: string) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts/setup.mjs'), profile], { encoding: 'utf8' });

function thrownBy(action: () => unknown): SetupError {
  try {
    action();
  } catch (error) {
    if (error instanceof SetupError) return error;
  }
  throw new Error('no SetupError was thrown');
}

describe('set-up', () => {
  it('[SU1] an ordinary user gets one message with the exact command', () => {
    const missing = ['bubblewrap (isolates sandboxes)', 'ripgrep (search)'];
    const error = thrownBy(() => planInstall(missing, { isRoot: false, hasApt: true }));
    expect(error.message).toContain('bubblewrap (isolates sandboxes)');
    expect(error.remedy).toContain(
      'sudo apt-get install -y --no-install-recommends bubblewrap ripgrep',
    );
  });

  it('[SU1] root installs; a machine without apt gets the list; nothing missing means nothing to do', () => {
    expect(planInstall(['ripgrep (search)'], { isRoot: true, hasApt: true })).toEqual(['ripgrep']);
    expect(
      thrownBy(() => planInstall(['ripgrep (search)'], { isRoot: true, hasApt: false })).message,
    ).toContain('ripgrep');
    expect(planInstall([], { isRoot: false, hasApt: false })).toEqual([]);
  });

  it('[SU2] a step that fails shows the end of its output, a remedy and where the rest is', async () => {
    const step = {
      title: 'test of a failing step',
      command: '/bin/sh',
      args: ['-c', 'echo first; echo the reason >&2; exit 7'],
      remedy: 'Fix it.',
    };
    onTestFinished(() => rmSync(join(CACHE, 'test-of-a-failing-step.log'), { force: true }));
    const error = await runStep(step).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SetupError);
    expect((error as SetupError).message).toContain('failed after');
    for (const part of ['the reason', 'Fix it.', 'test-of-a-failing-step.log']) {
      expect((error as SetupError).remedy).toContain(part);
    }
  });

  it('[SU2] a program that does not exist is such a failure too', async () => {
    onTestFinished(() => rmSync(join(CACHE, 'test-of-a-missing-program.log'), { force: true }));
    const step = {
      title: 'test of a missing program',
      command: '/no/such',
      args: [],
      remedy: 'Install it.',
    };
    await expect(runStep(step)).rejects.toThrow(SetupError);
  });

  it('[SU6] a set-up that is interrupted ends the tool that it runs', async () => {
    onTestFinished(() => rmSync(join(CACHE, 'test-of-an-interruption.log'), { force: true }));
    const program = `
      import { runStep } from ${JSON.stringify(join(ROOT, 'scripts/setup/report.mjs'))};
      await runStep({ title: 'test of an interruption', command: '/bin/sh', args: ['-c', 'echo $$ > "$PID_FILE"; exec sleep 60'], remedy: '' });`;
    const folder = mkdtempSync(join(tmpdir(), 'ship-interrupted-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pidFile = join(folder, 'pid');
    const setUp = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: 'ignore',
      env: { ...process.env, PID_FILE: pidFile },
    });
    await vi.waitFor(() => expect(readFileSync(pidFile, 'utf8')).toMatch(/^\d+\n$/), 20_000);
    const tool = Number(readFileSync(pidFile, 'utf8'));
    setUp.kill('SIGTERM');
    const [code, signal] = await once(setUp, 'exit');
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGTERM' });
    // Its parent is gone: it remains a zombie until init reaps it.
    await vi.waitFor(() => expect(() => process.kill(tool, 0)).toThrow('ESRCH'), 20_000);
  });

  it('[SU3] with nothing to do it prints the Node to use and nothing else', () => {
    const { stdout, stderr, status } = setup('check');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(existsSync(stdout.trim())).toBe(true);
  });

  it('[SU4] a lock left by a set-up that was killed does not block the next one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ship-lock-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const gone = spawnSync(process.execPath, ['-e', '0']).pid;
    writeFileSync(join(folder, 'setup.lock'), String(gone));
    expect(await withSetupLock(async () => 'done', folder)).toBe('done');
    expect(existsSync(join(folder, 'setup.lock'))).toBe(false);
  });

  it('[SU4] two set-ups at once work one after the other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ship-lock-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push(`${name} ends`);
    };
    await Promise.all([withSetupLock(work('a'), folder), withSetupLock(work('b'), folder)]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('refuses an unknown profile with the ones that exist', () => {
    const { stderr, status } = setup('party');
    expect(status).toBe(1);
    expect(stderr).toContain('use one of: start, test, check');
    expect(stderr).not.toContain('    at ');
  });
});
