/**
 * A real back end in its own folder, for attacks. Every sandbox is destroyed at the end, which also asserts
 * that nothing remains on the host.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Limits, ToolchainMounts } from '../../src/isolation/backend.ts';
import { createBubblewrapBackend } from '../../src/isolation/index.ts';
import { runInside, type InsideResult } from '../../src/isolation/run-inside.ts';
import { writeSkeleton } from '../../src/templates/skeleton.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

const LIMITS: Limits = { memoryMb: 512, cpuCount: 2, processes: 128, diskMb: 1024 };

type User = 'user' | 'root';

interface StartOptions {
  limits?: Partial<Limits>;
  accessToken?: string;
  layer?: string;
  readOnly?: readonly string[];
}

export interface AttackHarness {
  backend: Awaited<ReturnType<typeof createBubblewrapBackend>>;
  folder: string;
  start(id: string, options?: StartOptions): Promise<void>;
  shell(id: string, script: string, user?: User, accessToken?: string): Promise<InsideResult>;
  /** Python has `call(number, *arguments)`, which returns the errno of a raw system call, or 0 on success. */
  python(id: string, script: string, user?: User): Promise<InsideResult>;
  end(): Promise<void>;
}

const PYTHON_PRELUDE = `
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    return 0 if result >= 0 else ctypes.get_errno()
`;

export async function openAttackHarness(
  shared?: string,
  toolchains?: ToolchainMounts,
): Promise<AttackHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-attack-'));
  const dataFolder = join(folder, 'data');
  const backend = await createBubblewrapBackend({
    dataFolder,
    shared: shared === undefined ? [] : [{ source: shared, target: '/run/shared' }],
    ...(toolchains === undefined ? {} : { toolchains }),
  });
  const probed = await backend.probe();
  if ('reason' in probed) throw new Error(`${probed.reason}; try: ${probed.remedy}`);
  await backend.importLayer('attack', writeSkeleton);
  const ids: string[] = [];
  const run = (id: string, command: [string, ...string[]], user: User, accessToken?: string) =>
    runInside(backend, id, {
      command,
      user,
      timeoutMs: 60_000,
      ...(accessToken === undefined ? {} : { accessToken }),
    });
  return {
    backend,
    folder,
    async start(id, options = {}) {
      const egressFolder = join(folder, 'egress', id);
      mkdirSync(egressFolder, { recursive: true });
      ids.push(id);
      await backend.start({
        id,
        layer: options.layer ?? 'attack',
        readOnly: options.readOnly,
        limits: { ...LIMITS, ...options.limits },
        env: {},
        accessToken: options.accessToken,
        egressSocket: join(egressFolder, 'egress.sock'),
      });
    },
    shell: (id, script, user = 'user', accessToken) =>
      run(id, ['/bin/bash', '-c', script], user, accessToken),
    python: (id, script, user = 'user') =>
      run(id, ['/usr/bin/python3', '-c', PYTHON_PRELUDE + script], user),
    async end() {
      for (const id of ids) await backend.destroy(id);
      const left = await backend.list();
      await backend.release();
      removeFolder(folder);
      if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
    },
  };
}

/** Command lines of all processes on the host that contain a text. */
export function hostProcesses(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(text) && Number(pid) !== process.pid ? [command] : [];
      } catch {
        return [];
      }
    });
}
