import type { SandboxState } from '@ship/protocol';
import { Button } from '../../../ui/button.tsx';
import { useSession } from '../session-context.ts';

/** Why a pane that needs the sandbox cannot show it, and what to do. */
export function SandboxAway({ sandbox }: { readonly sandbox: SandboxState }) {
  const { actions } = useSession();
  const canWake = sandbox.status === 'frozen' || sandbox.status === 'asleep';
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-3 border-b border-line bg-rail px-3 py-2 text-sm"
    >
      <span className="min-w-0 flex-1">{wordsFor(sandbox)}</span>
      {canWake && <Button onClick={() => actions.changeSandbox('resume')}>Wake it</Button>}
    </div>
  );
}

function wordsFor(sandbox: SandboxState): string {
  switch (sandbox.status) {
    case 'running':
      return '';
    case 'starting':
    case 'retrying':
      return 'The sandbox is starting.';
    case 'frozen':
      return 'The sandbox is paused: its processes wait where they are.';
    case 'asleep':
      return 'The sandbox is asleep: its files are there, its processes have ended.';
    case 'failed':
      return `There is no sandbox: ${sandbox.error.message} ${sandbox.error.remedy}`;
    case 'none':
    case 'lost':
      return 'There is no sandbox at the moment. Send a prompt: it brings one with the work so far.';
  }
}
