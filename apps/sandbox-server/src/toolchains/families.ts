/** Where version managers and installers put toolchains. Searches only these paths: a home folder contains secrets. */
import { join } from 'node:path';
import type { ToolName } from './types.ts';

export interface FolderFamily {
  tool: ToolName;
  origin: string;
  /** Contains one folder per version; `isOne`: is a version itself. */
  root: string;
  isOne?: boolean;
  /** From the version's folder to the toolchain's root. */
  below?: string;
}

export interface ProgramFamily {
  tool: ToolName;
  origin: string;
  folder: string;
  programs: readonly string[];
}

export interface Families {
  folders: FolderFamily[];
  programs: ProgramFamily[];
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Shape {
  proof: string;
  folders: readonly string[];
  copied: readonly string[];
  /** Those of `folders` that are copied instead of mounted when they are small. */
  copiedIfSmall?: readonly string[];
}

/** For each tool, the file that proves a toolchain folder, and the folders that are exposed. */
export const SHAPES: Partial<Record<ToolName, Shape>> = {
  go: { proof: 'bin/go', folders: ['.'], copied: [] },
  java: { proof: 'bin/java', folders: ['.'], copied: [] },
  // Excludes `etc`, whose npmrc may contain a token, and the other global packages, which are the owner's.
  node: { proof: 'bin/node', folders: ['bin', 'lib/node_modules/npm'], copied: [] },
  // Excludes the folder itself, whose pip.conf may contain a password. For its packages see `hiddenOf`.
  // Its programs are small where the interpreter is in a shared library, as pyenv builds it.
  python: {
    proof: 'bin/python3',
    folders: ['bin', 'lib'],
    copied: ['include'],
    copiedIfSmall: ['bin'],
  },
  rust: { proof: 'bin/rustc', folders: ['.'], copied: [] },
};

const DEFAULT_DATA = '.local/share';

export function familiesOf(home: string, env: Environment, usrLocal = '/usr/local'): Families {
  const mise = join(env['MISE_DATA_DIR'] ?? join(home, DEFAULT_DATA, 'mise'), 'installs');
  const asdf = join(env['ASDF_DATA_DIR'] ?? join(home, '.asdf'), 'installs');
  const nvm = env['NVM_DIR'] ?? join(home, '.nvm');
  const pyenv = env['PYENV_ROOT'] ?? join(home, '.pyenv');
  const rustup = env['RUSTUP_HOME'] ?? join(home, '.rustup');
  const cargoBin = join(env['CARGO_HOME'] ?? join(home, '.cargo'), 'bin');
  const localBin = join(home, '.local/bin');
  const shared = join(usrLocal, 'bin');
  return {
    folders: [
      { tool: 'go', origin: '/usr/local', root: join(usrLocal, 'go'), isOne: true },
      { tool: 'go', origin: 'go', root: join(home, 'sdk') },
      { tool: 'go', origin: 'mise', root: join(mise, 'go') },
      { tool: 'go', origin: 'asdf', root: join(asdf, 'golang'), below: 'go' },
      {
        tool: 'java',
        origin: 'sdkman',
        root: join(env['SDKMAN_DIR'] ?? join(home, '.sdkman'), 'candidates/java'),
      },
      { tool: 'java', origin: 'mise', root: join(mise, 'java') },
      { tool: 'java', origin: 'asdf', root: join(asdf, 'java') },
      { tool: 'node', origin: 'nvm', root: join(nvm, 'versions/node') },
      { tool: 'node', origin: 'mise', root: join(mise, 'node') },
      { tool: 'node', origin: 'asdf', root: join(asdf, 'nodejs') },
      { tool: 'python', origin: 'pyenv', root: join(pyenv, 'versions') },
      { tool: 'python', origin: 'mise', root: join(mise, 'python') },
      { tool: 'python', origin: 'asdf', root: join(asdf, 'python') },
      { tool: 'python', origin: 'uv', root: join(home, DEFAULT_DATA, 'uv/python') },
      { tool: 'rust', origin: 'rustup', root: join(rustup, 'toolchains') },
    ],
    programs: [
      { tool: 'uv', origin: 'uv', folder: localBin, programs: ['uv', 'uvx'] },
      { tool: 'uv', origin: 'cargo', folder: cargoBin, programs: ['uv', 'uvx'] },
      { tool: 'uv', origin: '/usr/local', folder: shared, programs: ['uv', 'uvx'] },
      {
        tool: 'bun',
        origin: 'bun',
        folder: join(env['BUN_INSTALL'] ?? join(home, '.bun'), 'bin'),
        programs: ['bun'],
      },
      { tool: 'bun', origin: '/usr/local', folder: shared, programs: ['bun'] },
      {
        tool: 'deno',
        origin: 'deno',
        folder: join(env['DENO_INSTALL'] ?? join(home, '.deno'), 'bin'),
        programs: ['deno'],
      },
      { tool: 'deno', origin: '/usr/local', folder: shared, programs: ['deno'] },
    ],
  };
}

/** The folder of `rustup` itself, which serves `cargo +nightly` and rust-toolchain files. */
export const rustupHome = (home: string, env: Environment): string =>
  env['RUSTUP_HOME'] ?? join(home, '.rustup');
export const rustupProgram = (home: string, env: Environment): string =>
  join(env['CARGO_HOME'] ?? join(home, '.cargo'), 'bin', 'rustup');
