import { useId } from 'react';
import { Card } from '../../ui/card.tsx';
import { usePreference } from '../../ui/preference.ts';
import { Switch } from '../../ui/switch.tsx';
import { ShortcutList } from '../commands/shortcut-list.tsx';
import { singleKeysPreference } from '../commands/use-shortcuts.ts';
import { NotificationSwitch } from '../notifications/notification-switch.tsx';
import { ThemeSwitch } from '../theme/theme-switch.tsx';

/** Preferences of this browser, not of the server. */
export function AppearanceSection() {
  const keysId = useId();
  const isOn = usePreference(singleKeysPreference) === 'on';
  return (
    <div className="space-y-4">
      <Card aria-labelledby="this-browser" className="divide-y divide-line">
        <div className="px-4 py-3">
          <h2 id="this-browser" className="font-medium">
            This browser
          </h2>
          <p className="text-sm text-muted">Kept here, not on the server.</p>
        </div>
        <div className="flex items-center justify-between gap-4 px-4 py-3">
          <span className="text-sm">Theme</span>
          <ThemeSwitch />
        </div>
        <NotificationSwitch />
        <div className="flex items-center justify-between gap-4 px-4 py-3">
          <label htmlFor={keysId} className="text-sm">
            Single-key shortcuts
            <span className="block text-muted">Turn them off if you use dictation.</span>
          </label>
          <Switch
            id={keysId}
            checked={isOn}
            onCheckedChange={(next) => singleKeysPreference.set(next ? 'on' : 'off')}
          />
        </div>
      </Card>
      <Card aria-labelledby="keyboard" className="p-4">
        <h2 id="keyboard" className="font-medium">
          Keyboard
        </h2>
        <div className="mt-3">
          <ShortcutList />
        </div>
      </Card>
    </div>
  );
}
