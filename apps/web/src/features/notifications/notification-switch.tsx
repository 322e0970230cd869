import { useId, useState } from 'react';
import { usePreference } from '../../ui/preference.ts';
import { Switch } from '../../ui/switch.tsx';
import { notifyPreference } from './preference.ts';

/** Asks the browser for permission only when it is turned on. */
export function NotificationSwitch() {
  const id = useId();
  const isWanted = usePreference(notifyPreference) === 'on';
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'denied',
  );
  const isOn = isWanted && permission === 'granted';
  const change = async (next: boolean) => {
    notifyPreference.set(next ? 'on' : 'off');
    if (next && permission === 'default') setPermission(await Notification.requestPermission());
  };
  return (
    <div className="flex items-center justify-between gap-4 px-4 py-3">
      <label htmlFor={id} className="text-sm">
        Notifications
        <span className="block text-muted">
          {permission === 'denied'
            ? 'This browser blocks them for this site; allow them in its settings.'
            : 'When a session needs attention and this tab is hidden.'}
        </span>
      </label>
      <Switch
        id={id}
        checked={isOn}
        disabled={permission === 'denied'}
        onCheckedChange={(next) => void change(next)}
      />
    </div>
  );
}
