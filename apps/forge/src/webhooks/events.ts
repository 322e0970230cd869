import type { Forge } from '../forge.ts';
import { repositoryJson } from '../repositories/to-json.ts';
import type { RepositoryRow, UserRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';

/** Emits an event with an action: every event but `push` and `status`. */
export function emitAction(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
  event: string,
  action: string,
  content: Record<string, unknown>,
): void {
  if (!forge.outbox.hasSubscriber(event)) return;
  forge.outbox.emit(event, {
    action,
    ...content,
    repository: repositoryJson(forge, repository),
    sender: userJson(forge, sender),
  });
}
