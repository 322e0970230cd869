import { Archive, Cpu, FoldVertical, GitBranch, Moon, Pencil, SquarePen } from 'lucide-react';
import { Button } from '../../../../ui/button.tsx';
import { ErrorActionLink } from '../../../../ui/error-action.tsx';
import { repositoryName } from '../../../../ui/format.ts';
import { personName } from '../../person-name.ts';
import { useSession } from '../../session-context.ts';
import { stageLabels } from '../../boot/stages.ts';
import { newest } from '../items.ts';
import { Line, NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

export function CreatedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'session.created') return null;
  const { repository, base, model } = event.data;
  return (
    <Line icon={GitBranch}>
      Started in {repositoryName(repository)}
      {base === null ? '' : ` from ${base}`} with {model}
    </Line>
  );
}

export function RenamedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'session.renamed' ? (
    <Line icon={Pencil}>Renamed to “{event.data.title}”</Line>
  ) : null;
}

export function NamedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'session.named' && event.data.title !== null ? (
    <Line icon={Pencil}>
      {event.data.model} named it “{event.data.title}”
    </Line>
  ) : null;
}

export function ClosedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'session.closed' ? (
    <Line icon={Archive}>{personName(event.data.by)} closed the session.</Line>
  ) : null;
}

export function ModelView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'model.changed' ? (
    <Line icon={Cpu}>Switched to {event.data.model}.</Line>
  ) : null;
}

export function ModeView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'agent.mode-changed' ? (
    <Line icon={SquarePen}>
      {event.data.mode === 'plan'
        ? 'Switched to plan mode: no file changes.'
        : 'Switched to build mode: files can change.'}
    </Line>
  ) : null;
}

export const CompactedView = () => (
  <Line icon={FoldVertical}>Context compacted; continuing from a summary.</Line>
);

export function SandboxResumedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'sandbox.resumed' ? (
    <Line icon={Moon}>
      Sandbox resumed
      {event.data.processes === 'lost' ? '. Its files were kept; its processes had ended' : ''}.
    </Line>
  ) : null;
}

export function SandboxLostView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'sandbox.lost' ? (
    <NoticeCard tone="ask" title="The sandbox was lost">
      {event.data.reason} Work up to the last checkpoint is kept and restored in the next sandbox.
    </NoticeCard>
  ) : null;
}

/** A failed sandbox start: one line if it will be retried, else a card with a button. */
export function SandboxFailedView({ item }: ViewProps) {
  const { state, actions } = useSession();
  const event = newest(item);
  if (event.type !== 'sandbox.failed') return null;
  const { error, nextAttemptAt } = event.data;
  if (nextAttemptAt !== null)
    return (
      <Line icon={Moon} tone="warn">
        {error.message} Retrying.
      </Line>
    );
  const isNewest = state.sandbox.status === 'failed' && state.sandbox.since === event.at;
  return (
    <NoticeCard
      tone="bad"
      title={error.message}
      actions={
        isNewest && (
          <>
            <Button onClick={actions.retry}>Retry</Button>
            <ErrorActionLink action={error.action} />
          </>
        )
      }
    >
      {error.remedy}
    </NoticeCard>
  );
}

export function StageFailedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'stage.finished' || event.data.error === null) return null;
  return (
    <NoticeCard
      tone="bad"
      title={`${stageLabels[event.data.stage]} failed: ${event.data.error.message}`}
      actions={event.data.error.action && <ErrorActionLink action={event.data.error.action} />}
    >
      {event.data.error.remedy}
    </NoticeCard>
  );
}
