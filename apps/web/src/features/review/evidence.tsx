import { Link } from '@tanstack/react-router';
import { cx } from 'class-variance-authority';
import { isStale } from '@ship/core';
import type { Confidence, NewTests, PullRequestChecks, VerificationRun } from '@ship/protocol';
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { formatMs } from '../../ui/format.ts';
import { ToneGlyph } from '../../ui/tone.tsx';
import type { Tone } from '../../ui/tone.tsx';
import { ConfidenceParts } from '../verification/confidence-parts.tsx';
import { formatTestCounts, verdicts } from '../verification/verdicts.ts';
import { useSession } from '../session/session-context.ts';

interface PanelProps {
  readonly id: string;
  readonly title: string;
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export const Panel = ({ id, title, aside, className, children }: PanelProps) => (
  <Card aria-labelledby={id} className={cx('flex min-w-0 flex-col p-4', className)}>
    <div className="mb-2 flex items-baseline justify-between gap-3">
      <h2 id={id} className="text-sm font-medium">
        {title}
      </h2>
      {aside}
    </div>
    {children}
  </Card>
);

interface ConfidencePanelProps {
  readonly confidence: Confidence;
  readonly isStale: boolean;
}

/** The score with its reasons. */
export const ConfidencePanel = ({ confidence, isStale: isOld }: ConfidencePanelProps) => (
  <Panel
    id="confidence"
    title="Confidence"
    aside={
      <p className="text-sm text-muted">
        <span className="text-xl font-semibold text-ink tabular-nums">{confidence.score}</span> of
        100{isOld && ' · stale'}
      </p>
    }
  >
    <ConfidenceParts parts={confidence.parts} />
  </Panel>
);

/** Untested work has a reason instead of a score. */
export const NotVerifiedPanel = ({ reason }: { readonly reason: string | null }) => (
  <Panel id="confidence" title="Not verified">
    <p className="flex items-start gap-1.5 text-sm text-pretty text-muted">
      <ToneGlyph tone="none" />
      {reason === null ? 'No tests have run on this work.' : reason.replaceAll('`', '')}
    </p>
  </Panel>
);

/** Test results before and after the work. */
export function TestsPanel({ headSha }: { readonly headSha: string }) {
  const { before, after, newTests } = useSession().state.verification;
  const command = after?.command ?? before?.command;
  return (
    <Panel id="tests" title="Tests">
      {command === undefined ? (
        <p className="text-sm text-pretty text-muted">
          No tests run.{' '}
          <Link
            to="/settings/repositories"
            className="text-accent underline underline-offset-2 hover:no-underline"
          >
            Set a verify command
          </Link>{' '}
          to check every change.
        </p>
      ) : (
        <>
          <p className="mb-2 truncate font-mono text-xs text-muted" title={command}>
            {command}
          </p>
          <dl className="space-y-1.5 text-sm">
            <Run label="Before" run={before} />
            <Run label="After" run={after} />
          </dl>
          {isStale(after, headSha) && (
            <p className="mt-2 flex items-start gap-1.5 text-sm text-warn">
              <ToneGlyph tone="bad" /> Stale: the branch is at {headSha.slice(0, 9)} now.
            </p>
          )}
          {newTests !== null && newTests !== undefined && <NewTestsLine tests={newTests} />}
          {after !== null && after.failing.length > 0 && (
            <details className="mt-2 text-sm">
              <summary className="text-muted hover:text-ink">Failing tests</summary>
              <ul className="mt-1 max-h-40 overflow-y-auto font-mono text-xs break-words text-muted">
                {after.failing.map((name) => (
                  <li key={name}>{name}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </Panel>
  );
}

const withoutChange: Readonly<Record<NewTests['withoutChange'], string>> = {
  fail: 'failing on the base without the change',
  pass: 'also passing on the base without the change',
  unknown: 'not runnable on the base',
};

const NewTestsLine = ({ tests }: { readonly tests: NewTests }) => (
  <p className="mt-2 text-sm text-pretty text-muted">
    {tests.files.length} new or changed test {tests.files.length === 1 ? 'file' : 'files'}:{' '}
    {withoutChange[tests.withoutChange]}.
  </p>
);

function Run({ label, run }: { readonly label: string; readonly run: VerificationRun | null }) {
  if (run === null)
    return (
      <div className="flex gap-2 text-muted">
        <dt className="w-14 shrink-0">{label}</dt>
        <dd>not run</dd>
      </div>
    );
  const { tone, word } = verdicts[run.verdict];
  const { counts, durationMs, link, commit } = run;
  return (
    <div className="flex gap-2">
      <dt className="w-14 shrink-0 text-muted">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2">
        <span className="inline-flex items-center gap-1.5">
          <ToneGlyph tone={tone} /> {word}
        </span>
        <span className="text-muted tabular-nums">
          {counts !== null && `${formatTestCounts(counts)} · `}
          {formatMs(durationMs)}
        </span>
        {commit !== null && commit !== undefined && (
          <code className="font-mono text-xs text-muted">{commit.slice(0, 9)}</code>
        )}
        {link !== null && (
          <a
            href={link}
            target="_blank"
            rel="noreferrer"
            aria-label={`Output: ${label.toLowerCase()}`}
            className="text-accent underline underline-offset-2 hover:no-underline"
          >
            output
          </a>
        )}
      </dd>
    </div>
  );
}

const checkLabels: Readonly<
  Record<PullRequestChecks['state'], { readonly tone: Tone; readonly label: string }>
> = {
  none: { tone: 'none', label: 'No CI checks configured' },
  pending: { tone: 'busy', label: 'Checks are running' },
  passed: { tone: 'ok', label: 'All checks passed' },
  failed: { tone: 'bad', label: 'Checks failed' },
  unknown: { tone: 'none', label: 'The token can’t read checks' },
};

export function ChecksLine({ checks }: { readonly checks: PullRequestChecks }) {
  const { tone, label } = checkLabels[checks.state];
  return (
    <div className="text-sm">
      <p className="flex items-center gap-1.5">
        <ToneGlyph tone={tone} /> {label}
      </p>
      {checks.failed.length > 0 && (
        <p className="mt-0.5 pl-5 break-words text-muted">{checks.failed.join(', ')}</p>
      )}
    </div>
  );
}
