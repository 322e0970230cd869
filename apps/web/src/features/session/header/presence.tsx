import { Eye } from 'lucide-react';

/** The number of viewers, if there are others. */
export function Presence({ watchers }: { readonly watchers: readonly string[] }) {
  if (watchers.length < 2) return null;
  return (
    <span
      title={[...new Set(watchers)].join(', ')}
      className="inline-flex shrink-0 items-center gap-1 text-xs text-muted tabular-nums"
    >
      <Eye aria-hidden className="size-3.5" />
      {watchers.length}
      <span className="sr-only"> watching</span>
    </span>
  );
}
