import type { SessionState } from '@ship/protocol';
import { formatMs } from '../../../ui/format.ts';
import { ToneGlyph } from '../../../ui/tone.tsx';
import type { Tone } from '../../../ui/tone.tsx';
import { bootRows, stageLabels } from './stages.ts';
import type { StageRow } from './stages.ts';

const tones: Readonly<Record<StageRow['state'], Tone>> = {
  done: 'ok',
  running: 'busy',
  waiting: 'none',
  failed: 'bad',
};

/** The four stages until the agent is ready. */
export const BootChecklist = ({ state }: { readonly state: SessionState }) => (
  <section
    aria-label="Setting up"
    className="my-3 rounded-xl border border-line bg-surface px-4 py-3"
  >
    <h2 className="text-sm font-medium">Setting up</h2>
    <ol className="mt-2 grid grid-cols-2 gap-x-4 gap-y-1.5 sm:grid-cols-4">
      {bootRows(state).map(({ stage, state: stageState, durationMs }) => (
        <li key={stage} className="flex items-center gap-2 text-sm">
          <ToneGlyph tone={tones[stageState]} />
          <span className={stageState === 'waiting' ? 'text-muted' : ''}>{stageLabels[stage]}</span>
          <span className="text-xs text-muted tabular-nums">
            {durationMs === null ? '' : formatMs(durationMs)}
          </span>
          <span className="sr-only">{stageState}</span>
        </li>
      ))}
    </ol>
    {state.sandbox.status === 'retrying' && (
      <p className="mt-2 text-sm text-warn">{state.sandbox.error.message} Retrying.</p>
    )}
  </section>
);
