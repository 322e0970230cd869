import { type SessionEvent, ShipFailure } from '@ship/protocol';
import {
  type Arrival,
  type Forge,
  type GitDeps,
  type RemoteDeps,
  type SubmoduleAccess,
  awaitHistory,
  restartFromBase,
  gatewayRemotes,
  preflight,
  prepareRepository,
  readRemotes,
  refreshMirror,
  sandboxShell,
} from '../../git/index.ts';
import type { People } from '../../git/work/commit.ts';
import type { WorkshopParts, Workplace } from './parts.ts';

/** Where the repository is in every sandbox. */
export const REPOSITORY_FOLDER = '/home/user/repository';

const SHIP = { name: 'Ship', email: 'ship@users.noreply.local' };
const AGENT = { name: 'OpenCode', email: 'noreply@opencode.ai' };

/** Attributes commits to the person who asked for the work: as the settings say, else as the forge knows them. */
async function peopleOf({ settings }: Workplace, forge: Forge): Promise<People> {
  const { name, email } = settings.author;
  if (name !== null && email !== null)
    return { author: { name, email }, committer: SHIP, agent: AGENT };
  const account = await forge.account();
  const author = { name: name ?? account.name, email: email ?? account.email };
  return { author, committer: SHIP, agent: AGENT };
}

/** Everything except the authors of commits, which the forge may have to provide. */
function depsOf(place: Workplace, parts: WorkshopParts, forge: Forge): Omit<GitDeps, 'people'> {
  const { sessionId, title, createdAt, cardId, base, branch, git, repository } = place.state();
  const { gatewaySecret: secret, gateways } = parts;
  const { sandboxId } = place;
  const remotes = { secret, door: gateways.git, forge, sessionId, sandboxId, now: Date.now };
  return {
    shell: sandboxShell(place.port, sandboxId),
    folder: REPOSITORY_FOLDER,
    forge,
    remoteFor: gatewayRemotes(remotes),
    submodules: submoduleAccess(parts, remotes, repository),
    session: { sessionId, title, createdAtMs: createdAt, cardId, base, branch },
    git,
  };
}

/** A sandbox's access to other repositories: the same rules for sessions, setup builders and checks. */
export function submoduleAccess(
  { added }: Pick<WorkshopParts, 'added'>,
  remotes: RemoteDeps,
  location: string,
): SubmoduleAccess {
  const { kind } = remotes.forge;
  return {
    origin: { gitUrl: added.gitUrl(kind), location },
    find: (source) => added.find(kind, source),
    remoteFor: readRemotes(remotes),
  };
}

export async function gitDeps(place: Workplace, parts: WorkshopParts): Promise<GitDeps> {
  const forge = await place.forge();
  return { ...depsOf(place, parts, forge), people: await peopleOf(place, forge) };
}

/** Checks concurrently whether the work could be delivered: better before an hour of work than after. */
export async function cloneRepository(
  place: Workplace,
  parts: WorkshopParts,
  arrival: Promise<Arrival>,
): Promise<SessionEvent[]> {
  const forge = await place.forge();
  const mayDeliver = preflight(forge);
  const deps = { ...depsOf(place, parts, forge), people: peopleOf(place, forge) };
  const [prepared] = await Promise.allSettled([prepareRepository(deps, { arrival }), mayDeliver]);
  const problem = await mayDeliver;
  if (problem !== undefined) throw new ShipFailure(problem);
  if (prepared.status === 'rejected') throw prepared.reason;
  return prepared.value;
}

/** For another attempt at the setup of a session that has no work yet. */
export async function moveToNewestBase(
  place: Workplace,
  parts: WorkshopParts,
): Promise<SessionEvent[]> {
  return restartFromBase(depsOf(place, parts, await place.forge()));
}

/** Waiting longer would cost a person more than the history is worth. */
const HISTORY_WAIT_MS = 20_000;

/** Every session starts with the same history, whether it came from a mirror or with the newest commit first. */
export function waitForHistory({ port, sandboxId }: Workplace): Promise<void> {
  return awaitHistory(sandboxShell(port, sandboxId), REPOSITORY_FOLDER, HISTORY_WAIT_MS);
}

/** Updates the mirror that the next session on this repository starts from. */
export async function updateMirror(place: Workplace, parts: WorkshopParts): Promise<void> {
  const { port, sandboxId } = place;
  const { repository: location, git } = place.state();
  if (git.branch === null) return;
  const { forge, remoteFor } = await gitDeps(place, parts);
  const remote = await remoteFor(git.branch);
  const egress = place.settings.egress.allow;
  await refreshMirror({ port, sandboxId, forge, location, remote, now: Date.now, egress });
}
