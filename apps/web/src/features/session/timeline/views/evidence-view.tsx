import type { DurableEvent, VerificationRun } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ChevronRight, FlaskConical, Gauge } from 'lucide-react';
import { useId, useState } from 'react';
import { formatBytes, formatMs } from '../../../../ui/format.ts';
import { ToneGlyph } from '../../../../ui/tone.tsx';
import { ConfidenceParts } from '../../../verification/confidence-parts.tsx';
import { formatTestCounts, levelOf, verdicts } from '../../../verification/verdicts.ts';
import type { ViewProps } from './frame.tsx';
import { OutputText } from './output-text.tsx';
import { plainOutput } from './output.ts';

type DataOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>['data'];

/** The result of the project's tests in one row, which expands to the full evidence. */
export function EvidenceView({ item }: ViewProps) {
  const [isOpen, setIsOpen] = useState(false);
  const below = useId();
  const run = item.events.findLast((event) => event.type === 'verification.finished')?.data;
  const confidence = item.events.findLast((event) => event.type === 'confidence.computed')?.data;
  const withheld = item.events.findLast((event) => event.type === 'confidence.withheld')?.data;
  const Icon = run === undefined ? Gauge : FlaskConical;
  return (
    <div className="py-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? below : undefined}
        onClick={() => setIsOpen((before) => !before)}
        className="-mx-1.5 flex w-[calc(100%+0.75rem)] items-center gap-2 rounded-md px-1.5 py-1 text-left text-sm text-muted transition-colors hover:bg-hover hover:text-ink"
      >
        <Icon aria-hidden className="size-3.5 shrink-0" />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
          {run === undefined ? <span>No tests run</span> : <RunResult run={run} />}
        </span>
        {confidence !== undefined && <Score score={confidence.score} />}
        {confidence === undefined && withheld !== undefined && (
          <span className="shrink-0">Not verified</span>
        )}
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      {isOpen && (
        <div id={below} className="mt-1 mb-2 space-y-3 pl-5.5">
          {confidence !== undefined && <ConfidenceParts parts={confidence.parts} />}
          {confidence === undefined && withheld !== undefined && (
            <p className="text-sm text-pretty text-muted">{withheld.reason.replaceAll('`', '')}</p>
          )}
          {run !== undefined && <RunEvidence run={run} />}
        </div>
      )}
    </div>
  );
}

function RunResult({ run }: { readonly run: DataOf<'verification.finished'> }) {
  const { tone, word } = verdicts[run.verdict];
  return (
    <>
      <span className="inline-flex items-center gap-1.5 text-ink">
        {run.phase === 'before' ? 'Baseline tests' : 'Tests'} {word}
        <ToneGlyph tone={tone} />
      </span>
      <span className="tabular-nums">
        {[
          ...(run.counts === null ? [] : [formatTestCounts(run.counts)]),
          formatMs(run.durationMs),
        ].join(' · ')}
      </span>
    </>
  );
}

const scoreTones = { ok: 'text-ok', warn: 'text-warn', bad: 'text-bad' } as const;

const Score = ({ score }: { readonly score: number }) => (
  <span className="shrink-0 tabular-nums">
    <span className="max-sm:sr-only">Confidence </span>
    <span className={cx('font-medium', scoreTones[levelOf(score / 100)])}>{score}</span>
    <span className="sr-only"> of 100</span>
  </span>
);

function RunEvidence({ run }: { readonly run: DataOf<'verification.finished'> }) {
  const output = plainOutput(run.output);
  return (
    <>
      <p className="text-xs break-words text-muted">
        <code className="font-mono text-ink">{run.command}</code> {sourceText(run)}
        {run.exitCode !== null && `, exit ${run.exitCode}`}
      </p>
      {run.failing.length > 0 && (
        <ul
          aria-label="Failing tests"
          className="list-inside list-disc font-mono text-xs break-words text-bad"
        >
          {run.failing.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      <OutputText label="Output of the tests" text={output} />
      {(run.link !== null || run.outputBytes > run.output.length + 16) && (
        <p className="text-xs text-muted">
          {run.outputBytes > run.output.length + 16 &&
            `Truncated · full output: ${formatBytes(run.outputBytes)} `}
          {run.link !== null && (
            <a
              href={run.link}
              target="_blank"
              rel="noreferrer"
              className="text-accent underline underline-offset-2 hover:no-underline"
            >
              Open full output
            </a>
          )}
        </p>
      )}
    </>
  );
}

const sourceText = ({ source }: VerificationRun) =>
  source === 'settings' ? 'from Settings' : `from ${source}`;
