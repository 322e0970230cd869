import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { KeptSetupView } from '@ship/protocol';
import { PackageCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { setupsQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { formatAgo } from '../../ui/duration.ts';
import { useNow } from '../../ui/use-now.ts';

/** The saved setups of a repository; nothing if there are none. */
export function SetupList({ location }: { readonly location: string }) {
  const client = useQueryClient();
  const { data } = useQuery(setupsQuery);
  const [toRemove, setToRemove] = useState<KeptSetupView | null>(null);
  const nowMs = useNow();
  const remove = useAction(async ({ name }: KeptSetupView) => (await loadApi()).removeSetup(name), {
    onDone: () => void client.invalidateQueries({ queryKey: setupsQuery.queryKey }),
  });
  const setups = data?.setups.filter(({ repository }) => repository === location) ?? [];
  if (setups.length === 0) return null;
  return (
    <div>
      <h3 className="text-sm font-medium">Saved setups</h3>
      <p className="mb-2 text-sm text-pretty text-muted">
        Results of the setup on a base commit, reused by sessions with the same inputs.
      </p>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {setups.map((setup) => (
          <li key={setup.name} className="flex items-center gap-2.5 py-1 pr-1 pl-3">
            <PackageCheck aria-hidden className="size-3.5 shrink-0 text-faint" />
            <code className="min-w-0 flex-1 truncate font-mono text-sm" title={setup.name}>
              {setup.baseSha.slice(0, 10) || 'older Ship'} · {setup.command}
            </code>
            <span className="text-xs text-muted">
              created {formatAgo(nowMs - setup.madeAt)}, used {formatAgo(nowMs - setup.usedAt)}
            </span>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Delete the saved setup from ${setup.baseSha.slice(0, 10)}`}
              onClick={() => setToRemove(setup)}
            >
              <Trash2 aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {toRemove !== null && (
        <Confirm
          title="Delete this saved setup?"
          text="The next session of this repository runs the full setup. Sandboxes that started from it keep their files."
          action="Delete"
          onConfirm={() => remove.mutate(toRemove)}
          onClose={() => setToRemove(null)}
        />
      )}
    </div>
  );
}
