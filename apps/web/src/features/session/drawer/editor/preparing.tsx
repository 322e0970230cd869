import type { EditorView } from '@ship/protocol';
import { formatStopwatch } from '../../../../ui/format.ts';
import { ToneGlyph } from '../../../../ui/tone.tsx';
import { useNow } from '../../../../ui/use-now.ts';

type Preparing = EditorView & { readonly state: 'preparing' };

const steps = [
  { step: 'download', label: 'Download VS Code' },
  { step: 'parts', label: 'Download components' },
  { step: 'start', label: 'Start' },
] as const;

/** The first start takes a minute: show the current step and its duration. */
export function Preparing({ view }: { readonly view: Preparing }) {
  const nowMs = useNow();
  const current = steps.findIndex(({ step }) => step === view.step);
  return (
    <section aria-label="Editor is being prepared" className="shrink-0 border-b border-line p-3">
      <ol className="space-y-1 text-sm">
        {steps.map(({ step, label }, index) => (
          <li
            key={step}
            aria-current={index === current ? 'step' : undefined}
            className="flex items-center gap-2"
          >
            <ToneGlyph tone={index < current ? 'ok' : index === current ? 'busy' : 'none'} />
            <span className={index > current ? 'text-muted' : ''}>{label}</span>
            {index === current && (
              <span className="text-muted tabular-nums">
                {formatStopwatch(Math.max(0, nowMs - view.since))}
                {view.megabytes !== null && ` · ${view.megabytes} MB`}
              </span>
            )}
          </li>
        ))}
      </ol>
      {view.where === 'machine' && (
        <p className="mt-2 text-xs text-muted">Only once per machine, for all sandboxes.</p>
      )}
    </section>
  );
}
