import { type Forge, pathsOf } from '../forge.ts';
import { branchRef, isValidBranchName } from '../git/ref-names.ts';
import { readRef } from '../git/refs.ts';
import { type ApiError, invalid, notFound } from '../http/errors.ts';
import type { IssuePatch } from '../store/issues.ts';
import type { PullPatch } from '../store/pulls.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { emitPullEvent, factsForEvent } from './events.ts';
import { syncRefs } from './sync.ts';

export interface PullEdit {
  title?: string | undefined;
  body?: string | null | undefined;
  state?: 'open' | 'closed' | undefined;
  base?: string | undefined;
}

const resource = 'PullRequest';

/** Runs in the repository's queue, after a sync of the pull request with its branches. */
function withPull<T>(
  forge: Forge,
  repository: RepositoryRow,
  number: number,
  user: UserRow,
  work: (pull: PullRow) => Promise<T>,
): Promise<T> {
  return forge.queues.of(repository.id).run(async () => {
    await syncRefs(forge, repository, user);
    const pull = forge.store.pulls.find(repository.id, number);
    if (pull === undefined) throw notFound();
    return work(pull);
  });
}

export function updatePull(
  forge: Forge,
  repository: RepositoryRow,
  number: number,
  user: UserRow,
  edit: PullEdit,
): Promise<PullRow> {
  return withPull(forge, repository, number, user, async (pull) => {
    const { issues, pulls, db } = forge.store;
    const base = edit.base !== undefined && edit.base !== pull.base_ref ? edit.base : undefined;
    const basePatch = base === undefined ? {} : await basePatchFor(forge, repository, pull, base);
    const state = edit.state !== undefined && edit.state !== pull.state ? edit.state : undefined;
    const headPatch =
      state === 'open' ? await reopenPatch(forge, repository, { ...pull, ...basePatch }) : {};
    const text: IssuePatch = {
      ...(edit.title === undefined ? {} : { title: edit.title }),
      ...(edit.body === undefined ? {} : { body: edit.body }),
    };
    const edited = Object.keys(text).length > 0 || base !== undefined;
    const facts = await factsForEvent(forge, repository, { ...pull, ...basePatch, ...headPatch });
    db.transaction(() => {
      pulls.update(pull.id, { ...basePatch, ...headPatch });
      const closedAt = state === 'closed' ? forge.now().toISOString() : null;
      issues.update(pull.id, {
        ...text,
        ...(state === undefined ? {} : { state, closed_at: closedAt }),
      });
      const row = pulls.byId(pull.id);
      const emit = (action: string, extra?: Record<string, unknown>) =>
        emitPullEvent(forge, repository, user, row, facts, action, extra);
      if (edited) emit('edited', { changes: changes(pull, row) });
      if (state !== undefined) emit(state === 'closed' ? 'closed' : 'reopened');
    });
    return pulls.byId(pull.id);
  });
}

async function basePatchFor(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  base: string,
): Promise<PullPatch> {
  const name = isValidBranchName(base) ? branchRef(base) : '';
  const ref = await readRef(pathsOf(forge, repository), name);
  if (ref === undefined) throw invalid({ resource, field: 'base', code: 'invalid' });
  refuseDuplicate(forge, repository, pull, base);
  return { base_ref: base, base_sha: ref.sha };
}

function invalidState(message: string): ApiError {
  return invalid({ resource, field: 'state', code: 'invalid', message });
}

/** Requires that both branches exist and that no other pull request is open for them. */
async function reopenPatch(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
): Promise<PullPatch> {
  if (pull.merged_at !== null)
    throw invalidState('state cannot be changed. The pull request is merged.');
  const paths = pathsOf(forge, repository);
  const head = await readRef(paths, branchRef(pull.head_ref));
  const base = await readRef(paths, branchRef(pull.base_ref));
  if (head === undefined)
    throw invalidState(`state cannot be changed. The ${pull.head_ref} branch has been deleted.`);
  if (base === undefined)
    throw invalidState(`state cannot be changed. The ${pull.base_ref} branch has been deleted.`);
  refuseDuplicate(forge, repository, pull, pull.base_ref);
  return { head_sha: head.sha, base_sha: base.sha };
}

function refuseDuplicate(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  base: string,
): void {
  const other = forge.store.pulls.openFor(repository.id, pull.head_ref, base);
  if (other !== undefined && other.id !== pull.id)
    throw invalid({
      resource,
      code: 'custom',
      message: `A pull request already exists for ${repository.owner}:${pull.head_ref}.`,
    });
}

function changes(before: PullRow, after: PullRow): Record<string, unknown> {
  return {
    ...(before.title === after.title ? {} : { title: { from: before.title } }),
    ...(before.body === after.body ? {} : { body: { from: before.body ?? '' } }),
    ...(before.base_ref === after.base_ref
      ? {}
      : { base: { ref: { from: before.base_ref }, sha: { from: before.base_sha } } }),
  };
}

export function setDraft(
  forge: Forge,
  repository: RepositoryRow,
  number: number,
  user: UserRow,
  draft: boolean,
): Promise<PullRow> {
  return withPull(forge, repository, number, user, async (pull) => {
    if ((pull.draft === 1) === draft) return pull;
    const facts = await factsForEvent(forge, repository, pull);
    forge.store.db.transaction(() => {
      forge.store.pulls.update(pull.id, { draft: draft ? 1 : 0 });
      forge.store.issues.update(pull.id, {});
      const action = draft ? 'converted_to_draft' : 'ready_for_review';
      emitPullEvent(forge, repository, user, forge.store.pulls.byId(pull.id), facts, action);
    });
    return forge.store.pulls.byId(pull.id);
  });
}
