/** The machine's toolchains for sandboxes: detects, selects and stages them. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findPackage } from '../templates/packages.ts';
import { detectToolchains } from './detect.ts';
import { entryOf } from './plan.ts';
import { rustupHome, rustupProgram } from './families.ts';
import { stageToolchains, type StagedToolchains } from './stage.ts';
import { systemToolchains } from './system.ts';
import type {
  DetectedToolchains,
  RefusedToolchain,
  ToolchainChoice,
  ToolchainEntry,
} from './types.ts';

export function selectToolchains(
  { found, refused }: DetectedToolchains,
  choice: ToolchainChoice,
): DetectedToolchains {
  if (choice === 'auto') return { found, refused };
  const names: readonly string[] = choice === 'none' ? [] : choice;
  return {
    found: found.filter(({ name }) => names.includes(name)),
    refused: refused.filter(({ name }) => names.includes(name)),
  };
}

/** Toolchains in the base template. */
function bundledToolchains(): ToolchainEntry[] {
  const bin = '/usr/local/bin';
  const packages = {
    npm: ['npm'],
    pnpm: ['pnpm'],
    yarn: ['yarn', '@yarnpkg/cli-dist'],
    bun: ['@oven/bun-linux-x64-baseline', '@oven/bun-linux-aarch64'],
  };
  const fromNpm = Object.entries(packages).flatMap(([name, names]) =>
    names.flatMap((wanted) => {
      const version = findPackage(wanted)?.version;
      return version === undefined ? [] : [{ name, version, bin, origin: 'base', onPath: true }];
    }),
  );
  const node = { name: 'node', version: process.versions.node, bin, origin: 'base', onPath: true };
  return [node, ...fromNpm];
}

/** For the doctor: all toolchains that sandboxes could use here, and those found but unusable. */
export async function examineToolchains(): Promise<{
  entries: ToolchainEntry[];
  refused: RefusedToolchain[];
}> {
  const { found, refused } = await detectToolchains();
  const system = systemToolchains();
  return { entries: [...found.map((one) => entryOf(one, false)), ...system], refused };
}

export async function prepareToolchains(
  dataFolder: string,
  choice: ToolchainChoice,
): Promise<StagedToolchains> {
  const folder = join(dataFolder, 'toolchains');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const detected = choice === 'none' ? { found: [], refused: [] } : await detectToolchains();
  const home = homedir();
  const staged = stageToolchains({
    folder,
    found: selectToolchains(detected, choice).found,
    system: systemToolchains(),
    bundled: bundledToolchains(),
    rustup: { program: rustupProgram(home, process.env), home: rustupHome(home, process.env) },
  });
  removeOlder(folder, staged.base, join(dataFolder, 'sandboxes'));
  return staged;
}

/** A sandbox uses the folder of its start: deleting it would remove the mounts under a running process. */
function removeOlder(folder: string, current: string, sandboxes: string): void {
  if (existsSync(sandboxes) && readdirSync(sandboxes).length > 0) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path !== current) rmSync(path, { recursive: true, force: true });
  }
}
