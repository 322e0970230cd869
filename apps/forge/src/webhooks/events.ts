import type { Forge } from '../forge.ts';
import { repositoryJson } from '../repositories/to-json.ts';
import type { RepositoryRow, UserRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';

/** Tells of something that has an action: every event but `push` and `status`. */
export function emitAction(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
  event: string,
  action: string,
  content: Record<string, unknown>,
): void {
  if (!forge.outbox.wants(event)) return;
  forge.outbox.emit(event, {
    action,
    ...content,
    repository: repositoryJson(forge, repository),
    sender: userJson(forge, sender),
  });
}
