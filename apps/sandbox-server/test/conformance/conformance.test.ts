/** The unmodified `e2b` SDK against the real server: plain http, header routing, real sandboxes. */
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

import { commandTests } from './groups/commands.ts';
import { errorTests } from './groups/errors.ts';
import { fileTests } from './groups/files.ts';
import { gitTests } from './groups/git.ts';
import { listTests } from './groups/list.ts';
import { networkTests } from './groups/network.ts';
import { pauseTests } from './groups/pause.ts';
import { portTests } from './groups/ports.ts';
import { processTests } from './groups/processes.ts';
import { ptyTests } from './groups/pty.ts';
import { snapshotTests } from './groups/snapshots.ts';
import { transferTests } from './groups/transfer.ts';
import { watchTests } from './groups/watch.ts';
import { openTarget, type Target } from './target.ts';

// Real sandboxes on a possibly busy machine: a slow answer is not a wrong answer.
vi.setConfig({ testTimeout: 60_000 });

let target: Target;
beforeAll(async () => {
  target = await openTarget();
}, 300_000);
afterEach(async () => {
  await target.killAll();
}, 60_000);
afterAll(async () => {
  await target.close();
}, 60_000);

const get = (): Target => target;
commandTests(get);
processTests(get);
ptyTests(get);
fileTests(get);
transferTests(get);
watchTests(get);
listTests(get);
pauseTests(get);
snapshotTests(get);
networkTests(get);
portTests(get);
gitTests(get);
errorTests(get);
