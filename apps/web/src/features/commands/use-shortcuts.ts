import { useEffect, useRef } from 'react';
import { createPreference } from '../../ui/preference.ts';
import type { Command } from './command.ts';
import { press } from './sequence.ts';
import type { Stroke } from './sequence.ts';

export const singleKeysPreference = createPreference<'on' | 'off'>(
  'ship.single-keys',
  ['on', 'off'],
  'on',
);

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select'));

/** Runs commands by their keys, except while the user types or a dialog is open. */
export function useShortcuts(commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  }, [commands]);

  useEffect(() => {
    let pending: Stroke | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      const hasMod = event.metaKey || event.ctrlKey;
      if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return;
      if (!hasMod && (isTyping(event.target) || singleKeysPreference.get() === 'off')) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      const known = latest.current.flatMap(({ keys }) => (keys === null ? [] : [keys]));
      const stroke = { key: event.key.toLowerCase(), hasMod, atMs: event.timeStamp };
      const outcome = press(pending, stroke, known);
      pending = outcome.pending;
      const command = latest.current.find(({ keys }) => keys !== null && keys === outcome.matched);
      if (command === undefined) return;
      event.preventDefault();
      command.run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
