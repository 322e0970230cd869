import { type GitDeps, gatewayRemotes, refreshMirror, sandboxShell } from '../../git/index.ts';
import type { People } from '../../git/work/commit.ts';
import type { WorkshopParts, Workplace } from './parts.ts';

/** Where the repository is in every sandbox. */
export const REPOSITORY_FOLDER = '/home/user/repository';

const SHIP = { name: 'Ship', email: 'ship@users.noreply.local' };
const AGENT = { name: 'OpenCode', email: 'noreply@opencode.ai' };

/** Commits are by whoever asked for the work: as the settings say, else as the forge knows them. */
async function peopleOf({ settings, forge }: Workplace): Promise<People> {
  const { name, email } = settings.author;
  if (name !== null && email !== null)
    return { author: { name, email }, committer: SHIP, agent: AGENT };
  const account = await forge.account();
  const author = { name: name ?? account.login, email: email ?? account.noreplyEmail };
  return { author, committer: SHIP, agent: AGENT };
}

export async function gitDeps(place: Workplace, parts: WorkshopParts): Promise<GitDeps> {
  const { sessionId, title, createdAt, base, branch, git } = place.state();
  const { forge } = place;
  return {
    shell: sandboxShell(place.port, place.sandboxId),
    folder: REPOSITORY_FOLDER,
    forge,
    remoteFor: gatewayRemotes({
      secret: parts.gatewaySecret,
      door: parts.doors.git,
      forge,
      sessionId,
      now: Date.now,
    }),
    session: { sessionId, title, createdAtMs: createdAt, cardId: null, base, branch },
    git,
    people: await peopleOf(place),
  };
}

/** What the next session on this repository begins with. */
export async function keepMirrorOf(place: Workplace, parts: WorkshopParts): Promise<void> {
  const { port, sandboxId, forge } = place;
  const { repository: location, git } = place.state();
  if (git.branch === null) return;
  const remote = await (await gitDeps(place, parts)).remoteFor(git.branch);
  const egress = place.settings.egress.allow;
  await refreshMirror({ port, sandboxId, forge, location, remote, now: Date.now, egress });
}
