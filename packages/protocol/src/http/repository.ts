import * as z from 'zod';
import { RepositoryId } from '../ids.ts';
import { AgentInstructions } from './agent-settings.ts';
import { StepLimit } from './settings.ts';
import { BranchName, RepositoryLocation, line } from './text.ts';

const command = z.string().trim().min(1).max(4000);

/** A location that Ship can clone, without a credential: it is shown, logged and stored unencrypted. */
const CloneLocation = RepositoryLocation.refine(
  isCloneable,
  'must be an https, http, ssh or git URL, or an absolute path',
).refine(
  (location) => !hasCredential(location),
  'must not contain a password or token: store that as a secret',
);

const fields = {
  name: line(100),
  defaultBase: BranchName.nullable(),
  /** Run once in a new sandbox, before the agent. */
  setupCommand: command.nullable(),
  /** Run after each turn; its result goes into the pull request. */
  verifyCommand: command.nullable(),
  /** Whether Ship installs dependencies when there is no setup; null uses the settings. */
  installDependencies: z.boolean().nullable(),
  /** Whether dependencies may run their install scripts; null uses the settings. */
  installScripts: z.boolean().nullable(),
  /** Instructions for every agent on the repository, in addition to its AGENTS.md. */
  instructions: AgentInstructions.min(1).nullable(),
  /** Steps that the agent may take in one turn; null uses the settings. */
  maxStepsPerTurn: StepLimit.nullable(),
};

export const Repository = z.object({
  repositoryId: RepositoryId,
  location: RepositoryLocation,
  ...fields,
  /** Absent in records of earlier versions. */
  maxStepsPerTurn: fields.maxStepsPerTurn.default(null),
  // Absent in changes that an older version stored.
  installDependencies: fields.installDependencies.default(null),
  installScripts: fields.installScripts.default(null),
  createdAt: z.int().nonnegative(),
  updatedAt: z.int().nonnegative(),
});
export type Repository = z.infer<typeof Repository>;

/** `POST /api/repositories` */
export const RepositoryCreate = z.strictObject({
  location: CloneLocation,
  /** The last part of the location when absent. */
  name: fields.name.optional(),
  defaultBase: fields.defaultBase.default(null),
  setupCommand: fields.setupCommand.default(null),
  verifyCommand: fields.verifyCommand.default(null),
  installDependencies: fields.installDependencies.default(null),
  installScripts: fields.installScripts.default(null),
  instructions: fields.instructions.default(null),
  maxStepsPerTurn: fields.maxStepsPerTurn.default(null),
});
export type RepositoryCreate = z.infer<typeof RepositoryCreate>;

/** `PATCH /api/repositories/:repositoryId`. The location stays: sessions refer to it. */
export const RepositoryEdit = z.strictObject({
  name: fields.name.optional(),
  defaultBase: fields.defaultBase.optional(),
  setupCommand: fields.setupCommand.optional(),
  verifyCommand: fields.verifyCommand.optional(),
  installDependencies: fields.installDependencies.optional(),
  installScripts: fields.installScripts.optional(),
  instructions: fields.instructions.optional(),
  maxStepsPerTurn: fields.maxStepsPerTurn.optional(),
});
export type RepositoryEdit = z.infer<typeof RepositoryEdit>;

export const RepositoryList = z.object({ repositories: z.array(Repository) });
export type RepositoryList = z.infer<typeof RepositoryList>;

function isCloneable(location: string): boolean {
  if (location.startsWith('/')) return !location.split('/').includes('..');
  if (/^[\w.-]+@[\w.-]+:[^\s]+$/.test(location)) return true;
  const url = URL.parse(location);
  return url !== null && /^(https?|ssh|git):$/.test(url.protocol) && url.hostname !== '';
}

function hasCredential(location: string): boolean {
  const url = URL.parse(location);
  if (url === null) return false;
  // "ssh://git@host" names an account; anything else before the "@" is a credential.
  return url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:');
}
