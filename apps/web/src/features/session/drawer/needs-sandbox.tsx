import type { SandboxState } from '@ship/protocol';
import { Moon } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/notice.tsx';
import { useSession } from '../session-context.ts';

interface NeedsSandboxProps {
  /** What would be here, such as "The preview". */
  readonly what: string;
  readonly sandbox: SandboxState;
}

/** In place of what only a running sandbox can show: why there is none, and what brings it. */
export function NeedsSandbox({ what, sandbox: { status } }: NeedsSandboxProps) {
  const { actions } = useSession();
  const isResting = status === 'frozen' || status === 'asleep';
  const isComing = status === 'starting' || status === 'retrying';
  return (
    <div className="p-3">
      <Empty
        icon={Moon}
        title={
          isResting
            ? 'The sandbox sleeps'
            : isComing
              ? 'The sandbox is being made'
              : 'There is no sandbox at the moment'
        }
        {...(isResting && {
          action: (
            <Button variant="primary" onClick={() => actions.changeSandbox('resume')}>
              Wake it
            </Button>
          ),
        })}
      >
        {what} {isResting || isComing ? 'is here as soon as it runs.' : 'needs one.'}{' '}
        {!isResting && !isComing && 'Send a prompt: it brings one with the work so far.'}
        {status === 'asleep' && ' Programs that ran in it have ended and must be started again.'}
      </Empty>
    </div>
  );
}
