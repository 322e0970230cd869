/** Compilers and runtimes in /usr, which every sandbox sees anyway: listed, so that an agent knows what is available. */
import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findTool } from '../isolation/bubblewrap/host-tools.ts';
import type { ToolchainEntry } from './types.ts';
import { versionInName, versionOf } from './versions.ts';

const PROGRAMS = {
  go: 'go',
  rust: 'rustc',
  java: 'javac',
  maven: 'mvn',
  gradle: 'gradle',
  ruby: 'ruby',
  php: 'php',
  composer: 'composer',
  node: 'node',
  python: 'python3',
  uv: 'uv',
  deno: 'deno',
  gcc: 'gcc',
} as const satisfies Record<string, string>;

export function systemToolchains(find: typeof findTool = findTool): ToolchainEntry[] {
  return Object.entries(PROGRAMS).flatMap(([name, program]): ToolchainEntry[] => {
    const path = find(program, ['/usr/bin', '/bin']);
    if (path === undefined) return [];
    const version = versionOfProgram(name, realpathSync(path)) ?? null;
    // The template's own Node precedes it.
    return [{ name, version, bin: dirname(path), origin: 'system', onPath: name !== 'node' }];
  });
}

/** /usr/lib/jvm/java-17-openjdk-amd64/bin/javac, /usr/lib/go-1.19/bin/go, /usr/bin/ruby3.1, /usr/bin/python3.11 … */
function versionOfProgram(name: string, path: string): string | undefined {
  const folder = join(dirname(path), '..');
  if (name === 'java' || name === 'go') return versionOf(name, folder, basename(folder));
  if (name === 'maven') return versionOfJar(join(folder, 'lib'), 'maven-core');
  if (name === 'gcc') return /-(\d+)$/.exec(path)?.[1];
  return versionInName(basename(path));
}

function versionOfJar(folder: string, name: string): string | undefined {
  try {
    const jar = readdirSync(folder).find((file) => file.startsWith(`${name}-`));
    // Debian links it as maven-core-3.x.jar.
    const real = jar === undefined ? undefined : basename(realpathSync(join(folder, jar)));
    return real === undefined ? undefined : /-(\d+(?:\.\d+)+)\.jar$/.exec(real)?.[1];
  } catch {
    return undefined;
  }
}
