import { X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from './button.tsx';
import { ToneGlyph } from './tone.tsx';
import { dismissToast, toasts } from './toast-store.ts';
import type { Toast } from './toast-store.ts';

const shownForMs = { ok: 4000, ask: 10_000, bad: 10_000 } as const;

function ToastCard({ toast }: { readonly toast: Toast }) {
  const { id, tone, title, text, action } = toast;
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => dismissToast(id), shownForMs[tone]);
    return () => clearTimeout(timer);
  }, [id, tone, isHeld]);
  return (
    <li
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="pointer-events-auto flex animate-rise items-start gap-2.5 rounded-lg border border-line bg-surface p-3 shadow-dialog"
    >
      <ToneGlyph tone={tone} className="mt-1" />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-medium break-words">{title}</p>
        {text !== undefined && <p className="break-words text-muted">{text}</p>}
        {action !== undefined && (
          <Button
            className="mt-2"
            onClick={() => {
              dismissToast(id);
              action.run();
            }}
          >
            {action.label}
          </Button>
        )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismissToast(id)}
        className="grid size-6 shrink-0 place-items-center rounded text-faint hover:bg-hover hover:text-ink"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </li>
  );
}

/** A single live region that always exists: screen readers do not announce a region that appears with its text. */
export function Toaster() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get);
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 max-md:bottom-18 sm:left-auto sm:w-96"
    >
      <ol className="space-y-2">
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  );
}
