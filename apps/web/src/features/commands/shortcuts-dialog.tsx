import { useId } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { usePreference } from '../../ui/preference.ts';
import { Switch } from '../../ui/switch.tsx';
import type { Command } from './command.ts';
import { singleKeysPreference } from './use-shortcuts.ts';

interface ShortcutsDialogProps {
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}

export default function ShortcutsDialog({ commands, onClose }: ShortcutsDialogProps) {
  const switchId = useId();
  const isOn = usePreference(singleKeysPreference) === 'on';
  return (
    <Dialog title="Keyboard shortcuts" description="They rest while you type." onClose={onClose}>
      <dl className="px-5 pb-3">
        {commands.map(
          ({ id, group, label, keys }) =>
            keys !== null && (
              <div key={id} className="flex min-h-9 items-center justify-between gap-4">
                <dt className="text-muted">{group === 'Go to' ? `Go to ${label}` : label}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ),
        )}
      </dl>
      <div className="flex items-center justify-between gap-4 border-t border-line px-5 py-3.5">
        <label htmlFor={switchId} className="text-sm">
          <span className="block font-medium">Single-key shortcuts</span>
          <span className="block text-muted">Turn them off if you use dictation.</span>
        </label>
        <Switch
          id={switchId}
          checked={isOn}
          onCheckedChange={(next) => singleKeysPreference.set(next ? 'on' : 'off')}
        />
      </div>
    </Dialog>
  );
}
