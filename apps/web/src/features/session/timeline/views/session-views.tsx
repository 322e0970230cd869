import { Archive, Cpu, FoldVertical, GitBranch, Moon, Pencil, SquarePen } from 'lucide-react';
import { Button } from '../../../../ui/button.tsx';
import { ErrorActionLink } from '../../../../ui/error-action.tsx';
import { repositoryName } from '../../../../ui/format.ts';
import { useSession } from '../../session-context.ts';
import { stageWords } from '../../boot/stages.ts';
import { newest } from '../items.ts';
import { Line, NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

export function CreatedView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'session.created') return null;
  const { repository, base, model } = event.data;
  return (
    <Line icon={GitBranch}>
      {repositoryName(repository)}
      {base === null ? '' : `, from ${base}`}, with {model}
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
      {event.data.model} calls it “{event.data.title}”
    </Line>
  ) : null;
}

export function ClosedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'session.closed' ? (
    <Line icon={Archive}>Closed by {event.data.by}.</Line>
  ) : null;
}

export function ModelView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'model.changed' ? (
    <Line icon={Cpu}>The model is {event.data.model} from here on.</Line>
  ) : null;
}

export function ModeView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'agent.mode-changed' ? (
    <Line icon={SquarePen}>
      {event.data.mode === 'plan' ? 'Plans only, from here on.' : 'Changes files, from here on.'}
    </Line>
  ) : null;
}

export const CompactedView = () => (
  <Line icon={FoldVertical}>
    The conversation grew long; the agent goes on from a summary of it.
  </Line>
);

export function ResumedView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'sandbox.resumed' ? (
    <Line icon={Moon}>
      The sandbox woke up
      {event.data.processes === 'lost' ? '; its files are there, its processes had ended' : ''}.
    </Line>
  ) : null;
}

export function LostView({ item }: ViewProps) {
  const event = newest(item);
  return event.type === 'sandbox.lost' ? (
    <NoticeCard tone="ask" title="The sandbox was lost">
      {event.data.reason} The work up to the last checkpoint is kept and comes back with the next
      sandbox.
    </NoticeCard>
  ) : null;
}

/** A start that failed. What will be tried again is a line; what needs a person has the button. */
export function SandboxFailedView({ item }: ViewProps) {
  const { state, actions } = useSession();
  const event = newest(item);
  if (event.type !== 'sandbox.failed') return null;
  const { error, nextAttemptAt } = event.data;
  if (nextAttemptAt !== null)
    return (
      <Line icon={Moon} tone="warn">
        {error.message} It is tried again.
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
            <Button onClick={actions.retry}>Try again</Button>
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
      title={`${stageWords[event.data.stage]} failed: ${event.data.error.message}`}
      actions={event.data.error.action && <ErrorActionLink action={event.data.error.action} />}
    >
      {event.data.error.remedy}
    </NoticeCard>
  );
}
