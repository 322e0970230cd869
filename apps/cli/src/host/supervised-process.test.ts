import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SupervisedProcess } from './supervised-process.ts';

function supervise(script: string, isReady = (line: string) => line === 'ready') {
  const lines: string[] = [];
  const part = new SupervisedProcess({
    name: 'part',
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env: {},
    controlFd: 3,
    isReady,
    onLine: (line) => lines.push(line),
  });
  onTestFinished(() => part.stop());
  return { part, lines };
}

it('[HO3] is up only when the process says so', async () => {
  const { part } = supervise('sleep 0.2; echo ready >&3; exec sleep 60');
  part.start();
  expect(part.health().state).toBe('starting');
  await part.untilReady();
  expect(part.health()).toMatchObject({ state: 'up', restarts: 0, detail: null });
});

it('[HO4] restarts a dead process, and reports its exit and its last line', async () => {
  const { part, lines } = supervise('echo ready >&3; echo out of cheese >&2; exit 3');
  part.start();
  await vi.waitFor(() => expect(part.health().restarts).toBeGreaterThanOrEqual(2), {
    timeout: 5_000,
  });
  expect(part.health().detail).toContain('ended with code 3: out of cheese');
  expect(lines.length).toBeGreaterThanOrEqual(2);
});

it('[HO4] a command that does not exist is a state, not a crash of the host', async () => {
  const part = new SupervisedProcess({
    name: 'part',
    command: '/no/such/program',
    args: [],
    cwd: '/',
    env: {},
    controlFd: 3,
    isReady: () => true,
    onLine: () => undefined,
  });
  onTestFinished(() => part.stop());
  part.start();
  await vi.waitFor(() => expect(part.health().detail).toContain('cannot be started'), {
    timeout: 20_000,
  });
  expect(part.health().state).toBe('restarting');
});

it('[HO5] a process that ignores SIGTERM is killed, and not restarted', async () => {
  const { part } = supervise("trap '' TERM; echo ready >&3; while :; do sleep 0.05; done");
  part.start();
  await part.untilReady();
  await part.stop();
  expect(part.health().state).toBe('down');
  await sleep(300);
  expect(part.health()).toMatchObject({ state: 'down', restarts: 0 });
});
