import { useSyncExternalStore } from 'react';

/** A preference in local storage, synced across tabs. Without storage it lasts as long as the page. */
export interface Preference<T extends string> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createPreference<T extends string>(
  key: string,
  allowed: readonly T[],
  fallback: T,
): Preference<T> {
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  const read = (): T => {
    try {
      const stored = localStorage.getItem(key);
      return allowed.find((value) => value === stored) ?? fallback;
    } catch {
      return fallback;
    }
  };
  let current = read();
  addEventListener('storage', (event) => {
    // A null key means that the whole storage was cleared.
    if (event.key !== key && event.key !== null) return;
    current = read();
    notify();
  });
  return {
    get: () => current,
    set: (value) => {
      current = value;
      try {
        localStorage.setItem(key, value);
      } catch {
        // Lasts as long as the page.
      }
      notify();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const usePreference = <T extends string>(preference: Preference<T>): T =>
  useSyncExternalStore(preference.subscribe, preference.get);
