import type { SandboxState } from '@ship/protocol';
import { Moon } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/notice.tsx';
import { useSession } from '../session-context.ts';

interface NeedsSandboxProps {
  /** The subject, such as "The preview". */
  readonly what: string;
  readonly sandbox: SandboxState;
}

/** Shown instead of content that needs a running sandbox: why there is none, and how to get one. */
export function NeedsSandbox({ what, sandbox: { status } }: NeedsSandboxProps) {
  const { actions } = useSession();
  const isResting = status === 'frozen' || status === 'asleep';
  const isComing = status === 'starting' || status === 'retrying';
  return (
    <div className="p-3">
      <Empty
        icon={Moon}
        title={
          isResting ? 'The sandbox is paused' : isComing ? 'The sandbox is starting' : 'No sandbox'
        }
        {...(isResting && {
          action: (
            <Button variant="primary" onClick={() => actions.changeSandbox('resume')}>
              Resume
            </Button>
          ),
        })}
      >
        {what} {isResting || isComing ? 'appears here once it runs.' : 'needs one.'}{' '}
        {!isResting && !isComing && 'Send a prompt to start one with the work so far.'}
        {status === 'asleep' && ' Programs that ran in it have ended; start them again.'}
      </Empty>
    </div>
  );
}
