import { sessionEvent } from '@ship/core';
import type { CardId, GitState, SessionEvent, SessionId } from '@ship/protocol';
import type { Forge } from './forge/port.ts';
import { gatewayRemote, gitCapabilities, type GitClaims } from './gateway/capability.ts';
import type { RepositoryName } from './forge/address.ts';
import type { SubmoduleAccess } from './submodules.ts';
import type { People } from './work/commit.ts';
import type { Shell } from './work/shell.ts';

/** The session's facts that git work needs. */
export interface SessionFacts {
  sessionId: SessionId;
  title: string;
  createdAtMs: number;
  cardId: CardId | null;
  /** Chosen by the person; null for the forge's default branch and a generated name. */
  base: string | null;
  branch: string | null;
}

/**
 * Everything that git work needs. Each function of this folder is idempotent after a crash at any point: it checks what is
 * there and returns the events that are missing from `git`.
 */
export interface GitDeps {
  shell: Shell;
  /** Where the repository is in the sandbox. */
  folder: string;
  forge: Forge;
  /** An address that the sandbox can reach, with a fresh capability for this branch. */
  remoteFor: (branch: string) => Promise<string>;
  /** Absent where submodules are not fetched. */
  submodules?: SubmoduleAccess;
  session: SessionFacts;
  git: GitState;
  people: People;
}

/** Records a rename of the repository at the forge, if it is new. */
export function movedEvents({ forge, git }: Pick<GitDeps, 'forge' | 'git'>): SessionEvent[] {
  const to = forge.movedTo;
  return to === git.movedTo ? [] : [sessionEvent('repository.moved', { to })];
}

/** Longer than any turn; the next one gets a new address. */
const CAPABILITY_MS = 4 * 3_600_000;

export interface RemoteDeps {
  secret: string;
  /** `http://127.0.0.1:7002` in a local sandbox, Ship's public address in a cloud one. */
  door: string;
  forge: Pick<Forge, 'kind' | 'owner' | 'name'>;
  sessionId: SessionId;
  /** The session's own sandbox; the address is useless in any other. */
  sandboxId: string;
  now: () => number;
}

export function gatewayRemotes(deps: RemoteDeps) {
  const { secret, door, forge, sessionId, sandboxId, now } = deps;
  const capabilities = gitCapabilities(secret);
  return async (branch: string): Promise<string> => {
    const { kind, owner, name } = forge;
    const repository = { forge: kind, owner, name };
    const claims: GitClaims = { sessionId, sandboxId, repository, branch };
    return gatewayRemote(door, await capabilities.issue(claims, now() + CAPABILITY_MS), claims);
  };
}

/** Longer than all submodules of a clone take. */
const READ_MS = 30 * 60_000;

/** Addresses of other repositories of the same forge, for reading. */
export function readRemotes(deps: RemoteDeps): SubmoduleAccess['remoteFor'] {
  const { secret, door, forge, sessionId, sandboxId, now } = deps;
  const capabilities = gitCapabilities(secret);
  return async (repository, reads) => {
    const own = { forge: forge.kind, owner: forge.owner, name: forge.name };
    // No branch has this name: a session pushes to its own address.
    const claims = {
      sessionId,
      sandboxId,
      repository: own,
      branch: 'HEAD',
      reads: reads.map(nameOf),
    };
    const capability = await capabilities.issue(claims, now() + READ_MS);
    return gatewayRemote(door, capability, { repository: { ...own, ...repository } });
  };
}

const nameOf = ({ owner, name }: RepositoryName): string => `${owner}/${name}`;

export function checkpointRef(sessionId: SessionId): string {
  return `refs/ship/${sessionId}/checkpoint`;
}
