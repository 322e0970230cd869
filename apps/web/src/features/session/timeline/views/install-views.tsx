import { describePlan } from '@ship/core';
import { Package, PackageCheck, PackageX, TriangleAlert } from 'lucide-react';
import { formatMs } from '../../../../ui/format.ts';
import { useLiveText } from '../../feed/use-feed.ts';
import { newest } from '../items.ts';
import { Line, NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';
import { plainOutput, tailLines } from './output.ts';

const shownLines = 8;

/** The environment plan, with missing toolchains. */
export function EnvironmentView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'environment.planned') return null;
  const { toolchains } = event.data;
  return (
    <>
      {describePlan(event.data).map((line) => (
        <Line key={line} icon={Package}>
          {line}
        </Line>
      ))}
      {toolchains.map(({ tool, wanted, status, source, advice }) =>
        advice === null ? null : (
          <Line key={tool} icon={TriangleAlert} tone={status === 'missing' ? 'warn' : 'quiet'}>
            {status === 'missing' ? `${tool} is missing` : `${tool} ${wanted ?? ''}`} ({source}):{' '}
            {advice}
          </Line>
        ),
      )}
    </>
  );
}

/** One install step: live output while it runs, its result afterwards. */
export function InstallView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'install.started' && event.type !== 'install.finished') return null;
  const { command, step, of, partId } = event.data;
  const count = of > 1 ? ` (${step} of ${of})` : '';
  if (event.type === 'install.started')
    return (
      <>
        <Line icon={Package}>
          Installing dependencies{count}: <code className="font-mono text-xs">{command}</code>
        </Line>
        <LiveOutput partId={partId} />
      </>
    );
  const { reason, durationMs, link } = event.data;
  const log = link !== null && (
    <a href={link} target="_blank" rel="noreferrer" className="underline">
      log
    </a>
  );
  if (reason === null)
    return (
      <Line icon={PackageCheck}>
        Installed dependencies{count} in {formatMs(durationMs)}:{' '}
        <code className="font-mono text-xs">{command}</code> {log}
      </Line>
    );
  return (
    <NoticeCard
      tone="ask"
      title={
        <span className="flex items-center gap-2">
          <PackageX aria-hidden className="size-4 shrink-0" /> Dependency install failed
        </span>
      }
    >
      <code className="font-mono text-xs">{command}</code>: {reason} {log}
      <br />
      The agent starts without them, and its work may not be verified. A setup command in Settings →
      Repositories or .ship/setup.sh replaces this step.
    </NoticeCard>
  );
}

function LiveOutput({ partId }: { readonly partId: string }) {
  const text = useLiveText(partId);
  if (text === undefined || text === '') return null;
  return (
    <pre
      aria-label="Output of the install"
      className="mt-1 ml-5.5 overflow-hidden rounded-lg border border-line bg-rail px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap text-muted"
    >
      {tailLines(plainOutput(text), shownLines)}
    </pre>
  );
}
