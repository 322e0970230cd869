import { useId } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { usePreference } from '../../ui/preference.ts';
import { Switch } from '../../ui/switch.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import { singleKeysPreference } from './use-shortcuts.ts';

/** Includes the shortcuts of sessions and reviews: the dialog opens there too. */
export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const switchId = useId();
  const isOn = usePreference(singleKeysPreference) === 'on';
  return (
    <Dialog
      title="Keyboard shortcuts"
      description="Inactive while you type."
      size="xl"
      onClose={onClose}
    >
      <div className="px-5 pb-4">
        <ShortcutList />
      </div>
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
