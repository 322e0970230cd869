import type { SessionId } from '@ship/protocol';
import { ShipFailure } from '@ship/protocol';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/notice.tsx';
import type { LinkView } from './link.ts';
import { useTerminal } from './use-terminal.ts';

interface TerminalViewProps {
  readonly sessionId: SessionId;
  readonly name: string;
  readonly isShown: boolean;
  /** The sandbox is not running. */
  readonly isUnavailable: boolean;
  readonly isReadAloud: boolean;
  readonly onLeave: () => void;
}

export function TerminalView({ isUnavailable, ...props }: TerminalViewProps) {
  const { container, view, again } = useTerminal(props);
  const [wasUnavailable, setWasUnavailable] = useState(isUnavailable);
  if (wasUnavailable !== isUnavailable) {
    setWasUnavailable(isUnavailable);
    // The shell was refused without a sandbox; the sandbox runs now.
    if (!isUnavailable && view.status === 'refused') again();
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <State view={view} onAgain={again} />
      <div
        ref={container}
        data-terminal={props.name}
        data-status={view.status}
        className="min-h-0 flex-1 overflow-hidden py-2 pl-3"
      />
    </div>
  );
}

interface StateProps {
  readonly view: LinkView;
  readonly onAgain: () => void;
}

/** Empty while connected. */
function State({ view, onAgain }: StateProps) {
  switch (view.status) {
    case 'open':
      return null;
    case 'connecting':
    case 'waiting':
      return (
        <p role="status" className="shrink-0 bg-warn-soft px-3 py-1.5 text-sm text-warn">
          {view.status === 'connecting'
            ? 'Connecting to the shell…'
            : 'The connection was lost. The shell keeps running; reconnecting…'}
        </p>
      );
    case 'ended':
      return (
        <div role="status" className="flex shrink-0 items-center gap-3 bg-rail px-3 py-1.5 text-sm">
          <span className="flex-1">
            {view.exitCode === 0
              ? 'The shell exited.'
              : `The shell exited with code ${view.exitCode}.`}
          </span>
          <Button onClick={onAgain}>New shell</Button>
        </div>
      );
    case 'refused':
      return (
        <FailureNote
          cause={view.error === null ? null : new ShipFailure(view.error)}
          onRetry={onAgain}
          className="m-3"
        />
      );
  }
}
