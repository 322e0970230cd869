import { useQuery } from '@tanstack/react-query';
import { repositoryPlanQuery } from '../../data/queries.ts';
import { FailureNote } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The detected plan of a repository, loaded when its entry is expanded. */
export function RepositoryPlanView({ location }: { readonly location: string }) {
  const { data, error, refetch } = useQuery(repositoryPlanQuery(location));
  return (
    <div>
      <h3 className="text-sm font-medium">Plan</h3>
      <p className="mb-2 text-sm text-pretty text-muted">
        The steps that a new session runs before and after the agent, detected from the files on the
        base branch. The commands above override them.
      </p>
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-8 rounded-lg" />
        ) : (
          <FailureNote cause={error} onRetry={() => void refetch()} />
        )
      ) : (
        <ul className="space-y-1 rounded-lg border border-line px-3 py-2 text-sm">
          {data.lines.map((line) => (
            <li key={line} className="font-mono text-xs break-words">
              {line}
            </li>
          ))}
          {!data.isInstallOn && <li>Dependency installation is off.</li>}
          {data.plan.toolchains.map(({ tool, wanted, source }) => (
            <li key={tool} className="text-muted">
              Needs {tool} {wanted ?? ''} ({source})
            </li>
          ))}
          {data.plan.notes.map((note) => (
            <li key={note} className="text-muted">
              {note}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
