import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiToken } from '@ship/protocol';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { tokensQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyCommand } from '../../ui/copy-command.tsx';
import { formatAgo } from '../../ui/duration.ts';
import { Field, TextInput } from '../../ui/field.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useNow } from '../../ui/use-now.ts';

interface TokenRowProps {
  readonly token: ApiToken;
  readonly nowMs: number;
  readonly onRevoke: () => void;
}

const TokenRow = ({ token, nowMs, onRevoke }: TokenRowProps) => (
  <li className="flex items-center gap-3 px-4 py-2">
    <div className="min-w-0 flex-1">
      <p className="truncate font-medium">{token.name}</p>
      <p className="text-sm text-muted">
        created {formatAgo(nowMs - token.createdAt)} ·{' '}
        {token.lastUsedAt === null
          ? 'never used'
          : `last used ${formatAgo(nowMs - token.lastUsedAt)}`}
      </p>
    </div>
    <Button onClick={onRevoke} aria-label={`Revoke ${token.name}`}>
      Revoke
    </Button>
  </li>
);

export function TokensSection() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(tokensQuery);
  const [name, setName] = useState('');
  const [toRemove, setToRemove] = useState<ApiToken | null>(null);
  const nowMs = useNow();
  const reload = () => void client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const create = useAction(async (wanted: string) => (await loadApi()).createToken(wanted), {
    showsErrorInline: true,
    onDone: () => {
      setName('');
      reload();
    },
  });
  const revoke = useAction(
    async (token: ApiToken) => (await loadApi()).revokeToken(token.tokenId),
    { onDone: reload },
  );
  const active = data?.tokens.filter(({ revokedAt }) => revokedAt === null);
  return (
    <Card aria-labelledby="tokens">
      <div className="px-4 pt-4">
        <h2 id="tokens" className="font-medium">
          API tokens
        </h2>
        <p className="text-sm text-muted">
          For programs that call <code className="font-mono">/api</code> with{' '}
          <code className="font-mono">Authorization: Bearer</code>. A token can do what you can.
        </p>
      </div>
      {error !== null && data === undefined && (
        <FailureNote cause={error} onRetry={() => void refetch()} className="m-4" />
      )}
      {data === undefined && error === null && <Skeleton className="m-4 h-10" />}
      <ul className="mt-2 divide-y divide-line border-y border-line empty:hidden">
        {active?.map((token) => (
          <TokenRow
            key={token.tokenId}
            token={token}
            nowMs={nowMs}
            onRevoke={() => setToRemove(token)}
          />
        ))}
      </ul>
      {create.data !== undefined && (
        <div role="status" className="m-4 rounded-lg border border-line bg-ok-soft p-3">
          <p className="mb-2 text-sm">
            Token <strong className="font-medium">{create.data.token.name}</strong> created. Copy it
            now: it is not shown again.
          </p>
          <CopyCommand command={create.data.value} isSecret />
        </div>
      )}
      <form
        aria-label="Create a token"
        className="flex flex-wrap items-end gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(name.trim());
        }}
      >
        <Field label="Name of the new token" className="min-w-48 flex-1">
          {(control) => (
            <TextInput
              {...control}
              value={name}
              placeholder="CI"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={name.trim() === '' || create.isPending}>
          Create token
        </Button>
      </form>
      {create.error !== null && <FailureNote cause={create.error} className="mx-4 mb-4" />}
      {toRemove !== null && (
        <Confirm
          title={`Revoke ${toRemove.name}?`}
          text="Programs that use it are refused at once, and their open connections end."
          action="Revoke"
          onConfirm={() => revoke.mutate(toRemove)}
          onClose={() => setToRemove(null)}
        />
      )}
    </Card>
  );
}
