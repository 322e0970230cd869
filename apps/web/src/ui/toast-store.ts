export interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'ask' | 'bad';
  readonly title: string;
  readonly text?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** More would be noise: drop the oldest. */
const maxShown = 4;

let shown: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

const change = (next: readonly Toast[]) => {
  shown = next;
  listeners.forEach((listener) => listener());
};

export const toasts = {
  get: () => shown,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function toast(given: Omit<Toast, 'id'>): number {
  const id = nextId++;
  // Replace an identical toast: ten failures of one poll are one message.
  const others = shown.filter(({ title, text }) => title !== given.title || text !== given.text);
  change([...others, { ...given, id }].slice(-maxShown));
  return id;
}

export const dismissToast = (id: number) => change(shown.filter((one) => one.id !== id));
