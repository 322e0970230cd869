import { diffOf } from '@ship/core';
import { type Diff, type TurnId, fail, knownEvent } from '@ship/protocol';
import { commitDiff, sandboxShell, workingTreeDiff } from '../../git/index.ts';
import { REPOSITORY_FOLDER } from '../workshop/git-work.ts';
import type { Workplace } from '../workshop/parts.ts';
import { type Access, noSandbox } from './access.ts';

/** `to` null: the working tree, including uncommitted changes. */
interface Range {
  from: string | null;
  to: string | null;
}

/** The diff of the whole session, or of one turn. */
export async function sessionDiff(access: Access, turn: TurnId | undefined): Promise<Diff> {
  const { git } = access.state;
  if (git.branch === null) return nothing();
  const range = turn === undefined ? { from: git.baseSha, to: null } : ofTurn(access, turn);
  if (range === undefined) return nothing();
  return access.either(
    (place) => inSandbox(place, range),
    async () => {
      const to = range.to ?? (turn === undefined ? access.tip : null);
      if (to === null) return turn === undefined ? nothing() : noSandbox('The change of this turn');
      if (range.from === null) return noSandbox('The first commit of a repository');
      return (await access.forge()).compare(range.from, to);
    },
  );
}

function inSandbox({ port, sandboxId, state }: Workplace, { from, to }: Range): Promise<Diff> {
  const shell = sandboxShell(port, sandboxId);
  return to === null
    ? workingTreeDiff(shell, REPOSITORY_FOLDER, from, state().git.leftovers)
    : commitDiff(shell, REPOSITORY_FOLDER, from, to);
}

/** Undefined when the turn changed nothing. */
function ofTurn({ store, state }: Access, turnId: TurnId): Range | undefined {
  const events = store.log.ofTurn(turnId, ['turn.started', 'commit.made']).map(knownEvent);
  const commits = events.filter((event) => event?.type === 'commit.made').map(({ data }) => data);
  const [first] = commits;
  const last = commits.at(-1);
  if (first !== undefined && last !== undefined) return { from: first.parentSha, to: last.sha };
  if (events.length === 0)
    fail('not-found', 'This session had no such turn.', 'Read its history and pick one.');
  const { activity, git } = state;
  const isNewest = 'turn' in activity && activity.turn.turnId === turnId;
  return isNewest ? { from: git.headSha ?? git.baseSha, to: null } : undefined;
}

function nothing(): Diff {
  return diffOf({ source: 'forge', fromSha: null, toSha: null, truncated: false }, []);
}
