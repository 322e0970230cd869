import type { SandboxState } from '@ship/protocol';
import { Moon } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/notice.tsx';
import { useSession } from '../session-context.ts';

interface NeedsSandboxProps {
  /** The start of the message, such as "The preview". */
  readonly subject: string;
  readonly sandbox: SandboxState;
}

/** Shown instead of content that needs a running sandbox: why there is none, and how to get one. */
export function NeedsSandbox({ subject, sandbox: { status } }: NeedsSandboxProps) {
  const { actions } = useSession();
  const isPaused = status === 'frozen' || status === 'asleep';
  const isStarting = status === 'starting' || status === 'retrying';
  return (
    <div className="p-3">
      <Empty
        icon={Moon}
        title={
          isPaused ? 'The sandbox is paused' : isStarting ? 'The sandbox is starting' : 'No sandbox'
        }
        {...(isPaused && {
          action: (
            <Button variant="primary" onClick={() => actions.changeSandbox('resume')}>
              Resume
            </Button>
          ),
        })}
      >
        {subject} {isPaused || isStarting ? 'appears here once it runs.' : 'needs one.'}{' '}
        {!isPaused && !isStarting && 'Send a prompt to start one with the work so far.'}
        {status === 'asleep' && ' Programs that ran in it have ended; start them again.'}
      </Empty>
    </div>
  );
}
