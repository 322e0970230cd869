import type { DurableEnvelope } from '@ship/protocol';
import { useMemo } from 'react';
import { DiffText } from '../../timeline/views/diff-text.tsx';
import { editsOf } from './edits-of.ts';

/** The edits as logged by the agent: a fallback without sandbox and forge. */
export function LoggedEdits({ events }: { readonly events: readonly DurableEnvelope[] }) {
  const edits = useMemo(() => editsOf(events), [events]);
  if (edits.length === 0) return null;
  return (
    <section aria-label="Edits in the log" className="space-y-3 px-3 pb-3">
      <h2 className="text-xs text-muted">Edits in the log, oldest first</h2>
      {edits.map(({ seq, paths, diff }) => (
        <div key={seq}>
          <p className="mb-1 font-mono text-xs break-all">{paths.join(', ')}</p>
          <DiffText diff={diff} />
        </div>
      ))}
    </section>
  );
}
