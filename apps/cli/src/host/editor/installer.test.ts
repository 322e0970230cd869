import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostEditor } from '@ship/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type InstallPackage, EditorInstaller } from './installer.ts';

const ENTRY = 'node_modules/code-server/out/node/entry.js';
const VERSION = '1.2.3';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ship-editor-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A small tree instead of VS Code. */
function place(staging: string): void {
  mkdirSync(join(staging, ENTRY, '..'), { recursive: true });
  writeFileSync(join(staging, ENTRY), 'the editor', { mode: 0o600 });
}

const installer = (installPackage: InstallPackage) =>
  new EditorInstaller({ folder, version: VERSION, installPackage });
const until = (of: EditorInstaller, state: HostEditor['state']) =>
  vi.waitFor(() => expect(of.status()).toMatchObject({ state }), { timeout: 30_000 });
const inShared = () => readdirSync(join(folder, 'shared'));
const inFolder = () => readdirSync(folder).toSorted();

/** Waits until it is released. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe('the copy of VS Code that sandboxes share', { timeout: 60_000 }, () => {
  it('[ED3] is installed once despite concurrent requests, and is never visible half installed', async () => {
    const { opened, open } = gate();
    const installPackage = vi.fn<InstallPackage>(async (staging, { onStep, cacheFolder }) => {
      place(staging);
      mkdirSync(cacheFolder);
      onStep('parts');
      await opened;
    });
    const one = installer(installPackage);
    expect(one.status()).toEqual({ state: 'absent' });
    expect(one.install()).toMatchObject({ state: 'installing', step: 'download' });
    one.install();
    await vi.waitFor(() => expect(one.status()).toMatchObject({ step: 'parts' }), {
      timeout: 20_000,
    });
    expect(inShared()).toEqual([]);
    open();
    await until(one, 'ready');
    expect(one.install()).toEqual({ state: 'ready' });
    expect(installPackage).toHaveBeenCalledTimes(1);
    const { mode } = statSync(join(one.sharedFolder, VERSION, ENTRY));
    expect(mode & 0o777).toBe(0o644);
    await vi.waitFor(() => expect(inFolder()).toEqual(['shared']), { timeout: 20_000 });
  });

  it('[ED3] is found by the next host, and old versions are removed', async () => {
    place(join(folder, 'shared', '0.9.0'));
    const first = installer(async (staging) => place(staging));
    first.install();
    await until(first, 'ready');
    await vi.waitFor(() => expect(inShared()).toEqual([VERSION]), { timeout: 20_000 });
    const next = installer(() => Promise.reject(new Error('not needed')));
    expect(next.install()).toEqual({ state: 'ready' });
    rmSync(join(next.sharedFolder, VERSION), { recursive: true });
    expect(next.status()).toEqual({ state: 'absent' });
  });

  it('[ED4] a failure has a reason, keeps only the download cache, and can be retried', async () => {
    let isOffline = true;
    const one = installer(async (staging, { cacheFolder }) => {
      mkdirSync(cacheFolder, { recursive: true });
      if (isOffline) throw new Error('connect ECONNREFUSED');
      place(staging);
    });
    one.install();
    await until(one, 'failed');
    expect(one.status()).toEqual({ state: 'failed', reason: 'connect ECONNREFUSED' });
    await vi.waitFor(() => expect(inFolder()).toEqual(['cache', 'shared']), { timeout: 20_000 });
    expect(inShared()).toEqual([]);
    isOffline = false;
    expect(one.install()).toMatchObject({ state: 'installing' });
    await until(one, 'ready');
  });

  it('[ED4] another package is refused', async () => {
    const one = installer(async (staging) => writeFileSync(join(staging, 'other'), ''));
    one.install();
    await until(one, 'failed');
    expect(inShared()).toEqual([]);
  });

  it('[ED4] a killed host’s partial installation is removed and restarted', async () => {
    place(join(folder, 'staging-of-the-dead'));
    const one = installer(async (staging) => {
      expect(existsSync(join(folder, 'staging-of-the-dead'))).toBe(false);
      place(staging);
    });
    expect(one.status()).toEqual({ state: 'absent' });
    one.install();
    await until(one, 'ready');
  });

  it('[ED4] stopping aborts an installation and starts no other', async () => {
    const installPackage = vi.fn<InstallPackage>(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('ended'))),
        ),
    );
    const one = installer(installPackage);
    one.install();
    await vi.waitFor(() => expect(installPackage).toHaveBeenCalled(), { timeout: 20_000 });
    await one.stop();
    expect(one.install()).toEqual({ state: 'failed', reason: 'ended' });
    const stoppedAtOnce = installer(installPackage);
    stoppedAtOnce.install();
    await stoppedAtOnce.stop();
    expect(installPackage).toHaveBeenCalledTimes(1);
    expect(inShared()).toEqual([]);
  });
});
