import type { SandboxState } from '@ship/protocol';
import { Button } from '../../../ui/button.tsx';
import { useSession } from '../session-context.ts';

/** Explains why the sandbox is unavailable, with a button that resumes it. */
export function SandboxUnavailable({ sandbox }: { readonly sandbox: SandboxState }) {
  const { actions } = useSession();
  const canResume = sandbox.status === 'frozen' || sandbox.status === 'asleep';
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-3 border-b border-line bg-rail px-3 py-2 text-sm"
    >
      <span className="min-w-0 flex-1">{messageFor(sandbox)}</span>
      {canResume && <Button onClick={() => actions.changeSandbox('resume')}>Resume</Button>}
    </div>
  );
}

function messageFor(sandbox: SandboxState): string {
  switch (sandbox.status) {
    case 'running':
      return '';
    case 'starting':
    case 'retrying':
      return 'The sandbox is starting.';
    case 'frozen':
      return 'The sandbox is paused. Its processes continue where they were.';
    case 'asleep':
      return 'The sandbox is sleeping. Its files are kept; its processes have ended.';
    case 'failed':
      return `The sandbox failed: ${sandbox.error.message} ${sandbox.error.remedy}`;
    case 'none':
    case 'lost':
      return 'There is no sandbox. Send a prompt to start one with the work so far.';
  }
}
