import { fingerprint } from '../agent/fingerprint.ts';
import { findSources } from './find-sources.ts';
import type { Programs } from './programs.ts';
import { NATIVE_SERVERS, type NativeServer } from './source.ts';
import { type SandboxTools, type TeamEnvironment, combineSources } from './team-environment.ts';

/** Facts about a repository and its sandbox, from which the environment is built. */
export interface TeamFacts {
  /** Text by path, of the files that `ENVIRONMENT_FILES` names. */
  texts: Readonly<Record<string, string>>;
  programs: Programs;
  /** Where the repository is in the sandbox. */
  folder: string;
  /** As people entered it: a path or a URL. */
  location: string;
  secretNames: readonly string[];
  /** The script that replaces the files' setup; null without one. */
  setupBy: string | null;
  startBy: string | null;
}

/** Programs whose name differs from what files call the tool. */
const TOOL_OF_PROGRAM: Readonly<Record<string, string>> = { python3: 'python', cargo: 'rust' };
const SERVER_OF_PROGRAM: Readonly<Record<string, NativeServer>> = {
  postgres: 'postgres',
  'redis-server': 'redis',
  mariadbd: 'mariadb',
};

/** Programs to look up in a sandbox in addition to package managers. */
export const TEAM_PROGRAMS = [
  ...Object.keys(SERVER_OF_PROGRAM),
  'gh',
  'git',
  'git-lfs',
  'curl',
  'deno',
  'dotnet',
  'psql',
  'redis-cli',
];

/** The environment that a team's files describe, as this sandbox can run it. */
export function teamEnvironment(facts: TeamFacts): TeamEnvironment {
  const { texts, programs, folder, location, secretNames, setupBy, startBy } = facts;
  const repositoryName =
    location
      .replace(/\/+$/, '')
      .split('/')
      .at(-1)
      ?.replace(/\.git$/, '') ?? '';
  const devcontainerId = fingerprint(location);
  const sources = findSources(texts, { folder, repositoryName, secretNames, devcontainerId });
  return combineSources(sources, { setupBy, startBy, secretNames, sandbox: toolsOf(programs) });
}

/** Without a sandbox everything counts as present: the table then shows what the files ask for. */
function toolsOf(programs: Programs): SandboxTools | null {
  if (programs === null) return null;
  const names = Object.keys(programs);
  return {
    tools: Object.fromEntries(
      names.map((name) => [TOOL_OF_PROGRAM[name] ?? name, programs[name] || null]),
    ),
    servers: NATIVE_SERVERS.filter((server) =>
      names.some((name) => SERVER_OF_PROGRAM[name] === server),
    ),
  };
}
