import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RepositoryId, SecretInfo } from '@ship/protocol';
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { secretsQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { formatAgo } from '../../ui/duration.ts';
import { FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useNow } from '../../ui/use-now.ts';
import { SecretForm } from './secret-form.tsx';

interface SecretListProps {
  /** Null for the workspace's secrets. */
  readonly repositoryId: RepositoryId | null;
}

/** Lists names and ages; values are write-only. */
export function SecretList({ repositoryId }: SecretListProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(secretsQuery);
  const [toRemove, setToRemove] = useState<SecretInfo | null>(null);
  const nowMs = useNow();
  const reload = () => void client.invalidateQueries({ queryKey: secretsQuery.queryKey });
  const remove = useAction(
    async (secret: SecretInfo) =>
      (await loadApi()).removeSecret({ name: secret.name, repositoryId: secret.repositoryId }),
    { onDone: reload },
  );
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-8" />
    ) : (
      <FailureNote cause={error} onRetry={() => void refetch()} />
    );
  const secrets = data.secrets.filter((secret) => secret.repositoryId === repositoryId);
  return (
    <div>
      <ul className="mb-3 divide-y divide-line rounded-lg border border-line empty:hidden">
        {secrets.map((secret) => (
          <li key={secret.name} className="flex items-center gap-2.5 py-1 pr-1 pl-3">
            <KeyRound aria-hidden className="size-3.5 shrink-0 text-faint" />
            <code className="min-w-0 flex-1 truncate font-mono text-sm">{secret.name}</code>
            <span className="text-xs text-muted">set {formatAgo(nowMs - secret.updatedAt)}</span>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Delete ${secret.name}`}
              onClick={() => setToRemove(secret)}
            >
              <Trash2 aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      <SecretForm repositoryId={repositoryId} onSaved={reload} />
      {toRemove !== null && (
        <Confirm
          title={`Delete ${toRemove.name}?`}
          text="Sessions that need it will fail. The value can’t be restored."
          action="Delete"
          onConfirm={() => remove.mutate(toRemove)}
          onClose={() => setToRemove(null)}
        />
      )}
    </div>
  );
}
