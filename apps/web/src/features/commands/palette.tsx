import { Command as Cmdk } from 'cmdk';
import { Search } from 'lucide-react';
import { Dialog } from '../../ui/dialog.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { commandGroups } from './command.ts';
import type { Command } from './command.ts';

interface PaletteProps {
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}

export default function Palette({ commands, onClose }: PaletteProps) {
  const choose = (command: Command) => {
    onClose();
    command.run();
  };
  const groups = commandGroups.filter((group) => commands.some((one) => one.group === group));
  return (
    <Dialog
      title="Commands"
      description="Type to find a page or action."
      hideHeading
      onClose={onClose}
      size="lg"
    >
      <Cmdk label="Commands" loop>
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search aria-hidden className="size-4 text-faint" />
          <Cmdk.Input
            autoFocus
            placeholder="Find a page or action"
            className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-faint md:text-base"
          />
        </div>
        <Cmdk.List className="max-h-[min(24rem,60dvh)] overflow-y-auto overscroll-contain p-2">
          <Cmdk.Empty className="px-2 py-8 text-center text-sm text-muted">No matches.</Cmdk.Empty>
          {groups.map((group) => (
            <Cmdk.Group
              key={group}
              heading={group}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
            >
              {commands
                .filter((command) => command.group === group)
                .map((command) => (
                  <Cmdk.Item
                    key={command.id}
                    value={`${group} ${command.label} ${command.id}`}
                    onSelect={() => choose(command)}
                    className="flex h-10 cursor-pointer items-center gap-2.5 rounded-md px-2 text-base text-muted select-none data-[selected=true]:bg-hover data-[selected=true]:text-ink md:h-9"
                  >
                    <command.icon aria-hidden className="size-4" />
                    <span className="min-w-0 flex-1 truncate">{command.label}</span>
                    {command.keys !== null && <Keys keys={command.keys} />}
                  </Cmdk.Item>
                ))}
            </Cmdk.Group>
          ))}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  );
}
