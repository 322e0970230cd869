import { useQuery } from '@tanstack/react-query';
import type { CheckStep, EnvironmentCheck } from '@ship/protocol';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { loadApi } from '../../api/load.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { formatMs } from '../../ui/format.ts';
import { FailureNote } from '../../ui/notice.tsx';
import { SetupAgent } from './setup-agent.tsx';

const pollIntervalMs = 1_000;

const marks: Readonly<Record<CheckStep['status'], string>> = {
  running: '…',
  ok: '✓',
  failed: '✗',
  unavailable: '!',
  skipped: '–',
};

/** Runs the setup and tests of a repository in a separate sandbox and shows the output live. */
export function SetupCheck({ location }: { readonly location: string }) {
  const [started, setStarted] = useState<EnvironmentCheck | null>(null);
  const checkId = started?.checkId;
  const { data, error, refetch } = useQuery({
    queryKey: ['environment-check', checkId],
    enabled: checkId !== undefined,
    queryFn: async ({ signal }) => {
      const api = await loadApi();
      return checkId === undefined ? null : api.readEnvironmentCheck(checkId, signal);
    },
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? pollIntervalMs : false),
  });
  const start = useAction(async () => (await loadApi()).startEnvironmentCheck(location), {
    onDone: setStarted,
  });
  const check = data ?? started;
  const isRunning = start.isPending || check?.status === 'running';
  return (
    <div>
      <h3 className="text-sm font-medium">Test the setup</h3>
      <p className="mb-2 text-sm text-pretty text-muted">
        Runs the plan and the tests in a new sandbox, without an agent or a session.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isRunning} onClick={() => start.mutate(undefined)}>
          <FlaskConical aria-hidden /> {isRunning ? 'Testing…' : 'Test setup now'}
        </Button>
        <SetupAgent location={location} check={check ?? null} />
      </div>
      {error !== null && <FailureNote cause={error} onRetry={() => void refetch()} />}
      {check !== null && <CheckResult check={check} />}
    </div>
  );
}

function CheckResult({ check }: { readonly check: EnvironmentCheck }) {
  const { steps, output, error, plan, status } = check;
  return (
    <div className="mt-3 space-y-2" aria-live="polite">
      <ul className="space-y-1 rounded-lg border border-line px-3 py-2 text-sm">
        {steps.map(({ name, command, status: how, durationMs, detail }) => (
          <li key={name} className="flex flex-wrap gap-x-2">
            <span aria-label={how}>{marks[how]}</span>
            <span>{name}</span>
            {command !== null && (
              <code className="min-w-0 truncate font-mono text-xs" title={command}>
                {command.split('\n')[0]}
              </code>
            )}
            {durationMs !== null && <span className="text-muted">{formatMs(durationMs)}</span>}
            {detail !== null && <span className="text-muted">{detail}</span>}
          </li>
        ))}
        {status !== 'running' && (
          <li className="font-medium">
            {status === 'passed' ? 'The repository is ready.' : 'The repository is not ready.'}
          </li>
        )}
      </ul>
      {error !== null && (
        <p className="text-sm">
          {error.message} {error.remedy}
        </p>
      )}
      {output !== '' && (
        <pre
          aria-label="Output"
          className="max-h-64 overflow-auto rounded-lg border border-line bg-rail p-3 font-mono text-xs whitespace-pre-wrap"
        >
          {output}
        </pre>
      )}
      {plan?.described !== undefined && (
        <ul className="space-y-1 rounded-lg border border-line px-3 py-2 text-xs">
          {plan.described.map(({ file, item, applied, why }) => (
            <li key={`${file} ${item} ${why}`}>
              <span className={applied ? '' : 'text-muted'}>
                {applied ? 'applied' : 'not applied'} · {file}: {item}
              </span>{' '}
              <span className="text-muted">{why}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
