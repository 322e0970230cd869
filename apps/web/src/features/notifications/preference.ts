import { createPreference } from '../../ui/preference.ts';

export const notifyPreference = createPreference<'on' | 'off'>('ship.notify', ['on', 'off'], 'off');
