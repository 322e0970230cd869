import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Repository, RepositoryList } from '@ship/protocol';
import { ChevronRight, FolderGit2, Plus } from 'lucide-react';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { repositoriesQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { RepositoryForm } from './repository-form.tsx';
import { RepositoryPlanView } from './repository-plan.tsx';
import { SecretList } from './secret-list.tsx';
import { SetupCheck } from './setup-check.tsx';
import { SetupList } from './setup-list.tsx';

function RepositoryItem({ repository }: { readonly repository: Repository }) {
  const client = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const { name, location, repositoryId, setupCommand, verifyCommand } = repository;
  const facts = `${setupCommand === null ? 'Setup detected' : 'Custom setup'} · ${verifyCommand === null ? 'verification detected' : 'custom verification'}`;
  const remove = useAction(async () => (await loadApi()).removeRepository(repositoryId), {
    onDone: () => void client.invalidateQueries({ queryKey: repositoriesQuery.queryKey }),
  });
  return (
    <Card aria-label={name}>
      <details className="group" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="flex list-none items-center gap-3 rounded-xl px-4 py-3 hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform group-open:rotate-90"
          />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{name}</span>
            <span className="block truncate font-mono text-xs text-muted">{location}</span>
            <span className="mt-0.5 block text-xs text-muted sm:hidden">{facts}</span>
          </span>
          <span className="shrink-0 text-xs text-muted max-sm:hidden">{facts}</span>
        </summary>
        <div className="space-y-6 border-t border-line p-4">
          <RepositoryForm
            key={repository.updatedAt}
            repository={repository}
            onSaved={(saved) =>
              client.setQueryData<RepositoryList>(repositoriesQuery.queryKey, (list) =>
                list === undefined
                  ? undefined
                  : {
                      repositories: list.repositories.map((one) =>
                        one.repositoryId === saved.repositoryId ? saved : one,
                      ),
                    },
              )
            }
          />
          {isOpen && <RepositoryPlanView key={repository.updatedAt} location={location} />}
          <div>
            <h3 className="text-sm font-medium">Repository secrets</h3>
            <p className="mb-2 text-sm text-pretty text-muted">
              Environment variables for its setup, verify and start scripts and the agent&rsquo;s
              commands, in sessions of this repository only.
            </p>
            <SecretList repositoryId={repositoryId} />
          </div>
          <SetupCheck location={location} />
          <SetupList location={location} />
          <Button onClick={() => setIsConfirming(true)}>Remove repository</Button>
        </div>
      </details>
      {isConfirming && (
        <Confirm
          title={`Remove ${name}?`}
          text="This deletes its secrets. Its sessions and the repository itself stay."
          action="Remove"
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setIsConfirming(false)}
        />
      )}
    </Card>
  );
}

export function RepositoriesSection() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(repositoriesQuery);
  const [isAdding, setIsAdding] = useState(false);
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-16 rounded-xl" />
    ) : (
      <FailureNote cause={error} onRetry={() => void refetch()} />
    );
  const isEmpty = data.repositories.length === 0;
  return (
    <div className="space-y-3">
      {!isEmpty && (
        <div className="px-1">
          <h2 className="font-medium">Repositories</h2>
          <p className="text-sm text-pretty text-muted">
            Setup, verification and secrets of each repository.
          </p>
        </div>
      )}
      {data.repositories.map((repository) => (
        <RepositoryItem key={repository.repositoryId} repository={repository} />
      ))}
      {isAdding ? (
        <Card aria-label="New repository" className="p-4">
          <RepositoryForm
            repository={null}
            onCancel={() => setIsAdding(false)}
            onSaved={() => {
              setIsAdding(false);
              void client.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
            }}
          />
        </Card>
      ) : isEmpty ? (
        <Empty
          icon={FolderGit2}
          title="No repositories yet"
          action={
            <Button variant="primary" onClick={() => setIsAdding(true)}>
              <Plus aria-hidden /> Add a repository
            </Button>
          }
        >
          Add one to configure its setup and verification. Local folders work too.
        </Empty>
      ) : (
        <Button onClick={() => setIsAdding(true)}>
          <Plus aria-hidden /> Add a repository
        </Button>
      )}
    </div>
  );
}
