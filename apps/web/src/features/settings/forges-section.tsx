import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ForgeList } from '@ship/protocol';
import { forgesQuery } from '../../data/queries.ts';
import { Card } from '../../ui/card.tsx';
import { FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { GithubForge } from './github-forge.tsx';

export function ForgesSection() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(forgesQuery);
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-48 rounded-xl" />
    ) : (
      <FailureNote cause={error} onRetry={() => void refetch()} />
    );
  return (
    <Card aria-labelledby="forges">
      <div className="px-4 py-3">
        <h2 id="forges" className="font-medium">
          Forges
        </h2>
        <p className="text-sm text-pretty text-muted">
          Where Ship clones repositories and opens pull requests. Tokens are encrypted at rest and
          never shown; sandboxes reach a forge only through Ship.
        </p>
      </div>
      <ul className="divide-y divide-line border-t border-line">
        {data.forges.map((forge) => (
          <li key={forge.kind} className="px-4 py-3">
            {forge.kind === 'github' ? (
              <GithubForge
                forge={forge}
                onStored={(stored) =>
                  client.setQueryData<ForgeList>(forgesQuery.queryKey, (list) =>
                    list === undefined
                      ? undefined
                      : { forges: list.forges.map((one) => (one === forge ? stored : one)) },
                  )
                }
                onChanged={() => void client.invalidateQueries({ queryKey: forgesQuery.queryKey })}
              />
            ) : (
              <>
                <p className="font-medium">Folders on this machine</p>
                <p className="text-sm text-muted">Nothing to configure; Ship serves them itself.</p>
              </>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
