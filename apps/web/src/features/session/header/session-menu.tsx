import { Ellipsis } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { buttonStyles } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { useSession } from '../session-context.ts';

const item =
  'flex h-9 cursor-pointer items-center rounded-md px-2.5 text-sm outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover md:h-8';

/** Rare actions. Not modal: Radix would lock scrolling with an inline style, which our Content-Security-Policy refuses. */
export function SessionMenu() {
  const { state, actions } = useSession();
  const [isConfirming, setIsConfirming] = useState(false);
  const { status } = state.sandbox;
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label="More actions"
          className={buttonStyles({ variant: 'ghost', size: 'icon' })}
        >
          <Ellipsis aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={6}
            className="z-40 min-w-52 animate-rise rounded-xl border border-line bg-surface p-1.5 shadow-dialog"
          >
            <DropdownMenu.Item
              className={item}
              disabled={status !== 'running'}
              onSelect={() => actions.changeSandbox('pause')}
            >
              Pause the sandbox
            </DropdownMenu.Item>
            <DropdownMenu.Item
              className={item}
              disabled={status !== 'frozen' && status !== 'asleep'}
              onSelect={() => actions.changeSandbox('resume')}
            >
              Resume the sandbox
            </DropdownMenu.Item>
            <DropdownMenu.Item
              className={item}
              disabled={status === 'none' || status === 'lost' || status === 'failed'}
              onSelect={() => actions.changeSandbox('kill')}
            >
              Shut down the sandbox (keeps work)
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Item
              className={`${item} text-bad`}
              onSelect={() => setIsConfirming(true)}
            >
              Delete session…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isConfirming && (
        <Confirm
          title="Delete this session?"
          text="This deletes its sandbox and log permanently. The branch and pull request stay."
          action="Delete"
          onConfirm={actions.remove}
          onClose={() => setIsConfirming(false)}
        />
      )}
    </>
  );
}
