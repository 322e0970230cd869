import * as z from 'zod';
import { ShipError } from '../error-schema.ts';
import { SessionId } from '../ids.ts';
import { BranchName, RepositoryLocation } from './text.ts';

const text = (max: number) => z.string().max(max);

export const PackageManager = z.enum([
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'uv',
  'poetry',
  'pipenv',
  'pip',
  'go',
  'cargo',
  'bundler',
  'composer',
  'maven',
  'gradle',
]);
export type PackageManager = z.infer<typeof PackageManager>;

/** One command that installs dependencies. */
export const InstallStep = z.object({
  manager: PackageManager,
  /** A line for a shell. */
  command: text(8000),
  /** Relative to the repository; `.` is its root. */
  folder: text(500),
  /** The file that decided. */
  source: text(200),
});
export type InstallStep = z.infer<typeof InstallStep>;

/** `unknown`: no sandbox was checked. `other-version`: the sandbox has another version than the repository asks for. */
export const ToolchainStatus = z.enum(['present', 'other-version', 'missing', 'unknown']);

/** A language or tool that the repository needs, and whether the sandbox has it. */
export const ToolchainNeed = z.object({
  tool: text(50),
  /** The version as the repository writes it; null for any version. */
  wanted: text(200).nullable(),
  /** The file that asks for it. */
  source: text(200),
  found: text(200).nullable(),
  status: ToolchainStatus,
  /** The next step for a person; null when nothing must be done. */
  advice: text(500).nullable(),
});
export type ToolchainNeed = z.infer<typeof ToolchainNeed>;

/** One part of a file that describes the environment, and whether it applies in this sandbox. */
export const DescribedPart = z.object({
  file: text(300),
  item: text(300),
  applied: z.boolean(),
  why: text(300),
});
export type DescribedPart = z.infer<typeof DescribedPart>;

export const NamedPort = z.object({
  port: z.int().min(1).max(65_535),
  label: text(200).nullable(),
  /** Whether the file wants the port shown as soon as a program listens on it. */
  opensPreview: z.boolean(),
});
export type NamedPort = z.infer<typeof NamedPort>;

/** How Ship prepares and tests a repository without its own setup. */
export const EnvironmentPlan = z.object({
  install: z.array(InstallStep).max(20),
  verify: z
    .object({
      command: text(4000),
      source: text(200),
      /** The same command after a build, for tests that import build output. */
      afterBuild: text(4000).optional(),
    })
    .nullable(),
  toolchains: z.array(ToolchainNeed).max(20),
  notes: z.array(text(500)).max(20),
  /** Each part of the team's environment files (devcontainer.json, compose.yaml …); absent without such files. */
  described: z.array(DescribedPart).max(200).optional(),
  /** Ports that those files name. */
  ports: z.array(NamedPort).max(50).optional(),
});
export type EnvironmentPlan = z.infer<typeof EnvironmentPlan>;

/** `GET /api/repositories/plan` */
export const RepositoryPlanQuery = z.strictObject({
  location: RepositoryLocation,
  /** The repository's default branch when absent. */
  base: BranchName.optional(),
});
export type RepositoryPlanQuery = z.infer<typeof RepositoryPlanQuery>;

const SetupChoice = z.object({ command: text(20_000), source: text(200) });

/** How a session on this repository would start. */
export const RepositoryPlan = z.object({
  location: RepositoryLocation,
  base: text(300),
  /** The setup that people wrote, which replaces the install; null when there is none. */
  setup: SetupChoice.nullable(),
  /** Whether Ship installs dependencies here. */
  isInstallOn: z.boolean(),
  plan: EnvironmentPlan,
  /** The plan for people: `found pnpm-lock.yaml → pnpm install --frozen-lockfile → pnpm test`. */
  lines: z.array(text(13_000)).max(30),
});
export type RepositoryPlan = z.infer<typeof RepositoryPlan>;

/** `POST /api/environment-checks`: runs the plan in a sandbox, without an agent. */
export const EnvironmentCheckCreate = z.strictObject({
  repository: RepositoryLocation,
  base: BranchName.nullable().default(null),
});
export type EnvironmentCheckCreate = z.infer<typeof EnvironmentCheckCreate>;

export const CheckStep = z.object({
  name: text(100),
  command: text(20_000).nullable(),
  /** `skipped`: there was nothing to run. `unavailable`: it could not run, which says nothing about the repository. */
  status: z.enum(['running', 'ok', 'failed', 'unavailable', 'skipped']),
  durationMs: z.number().nonnegative().nullable(),
  detail: text(2000).nullable(),
});
export type CheckStep = z.infer<typeof CheckStep>;

/** `GET /api/environment-checks/{checkId}`. Kept in memory while a client polls it. */
export const EnvironmentCheck = z.object({
  /** It has the format of a session's id, but no session has it. */
  checkId: SessionId,
  repository: RepositoryLocation,
  status: z.enum(['running', 'passed', 'failed']),
  startedAt: z.int().nonnegative(),
  setup: SetupChoice.nullable(),
  plan: EnvironmentPlan.nullable(),
  steps: z.array(CheckStep).max(50),
  /** The end of the newest step's output. */
  output: z.string(),
  /** Why it ended before its last step. */
  error: ShipError.nullable(),
});
export type EnvironmentCheck = z.infer<typeof EnvironmentCheck>;
