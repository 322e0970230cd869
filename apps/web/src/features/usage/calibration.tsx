import type { Calibration, CalibrationBucket } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { Card } from '../../ui/card.tsx';
import { formatShare } from '../../ui/format.ts';

/** Compares confidence scores with outcomes. */
export function CalibrationCard({ calibration }: { readonly calibration: Calibration }) {
  const { decided, buckets } = calibration;
  const isTelling = buckets.some((bucket) => bucket.isTelling);
  // A table of dashes is useless.
  if (decided === 0)
    return (
      <Card aria-label="Confidence and outcome" className="p-4 text-sm">
        <h2 className="font-medium">Confidence and outcome</h2>
        <p className="text-pretty text-muted">
          {noteOf(decided, isTelling)} This card will compare scores with outcomes.
        </p>
      </Card>
    );
  return (
    <Card
      role="region"
      aria-label="Confidence and outcome"
      tabIndex={0}
      className="min-w-0 overflow-x-auto"
    >
      <table className="w-full text-sm">
        <caption className="px-4 pt-4 pb-2 text-left">
          <span className="font-medium">Confidence and outcome</span>
          <span className="block text-pretty text-muted">{noteOf(decided, isTelling)}</span>
        </caption>
        <thead className="text-xs text-faint">
          <tr>
            <Head>Score</Head>
            <Head>Predicted</Head>
            <Head>Merged and kept</Head>
            <Head isExtra>Likely range</Head>
            <Head isExtra>Merged</Head>
            <Head isExtra>Closed</Head>
            <Head isExtra>Reverted</Head>
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket) => (
            <Row key={bucket.from} bucket={bucket} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** With few pull requests the shares prove nothing, and the note says so. */
export function noteOf(decided: number, isTelling: boolean): string {
  if (decided === 0) return 'No pull request with a score has been merged or closed yet.';
  const counted = `${decided} decided pull ${decided === 1 ? 'request' : 'requests'}.`;
  return isTelling ? counted : `${counted} Too few to judge the score.`;
}

/** Phones show the score and its outcome; the rest moves below the score. */
const extra = 'max-md:hidden';

interface HeadProps {
  readonly children: string;
  readonly isExtra?: boolean;
}

const Head = ({ children, isExtra = false }: HeadProps) => (
  <th
    scope="col"
    className={cx(
      'px-4 py-1 text-right align-bottom font-medium first:text-left',
      isExtra && extra,
    )}
  >
    {children}
  </th>
);

const share = (value: number | null) => (value === null ? '–' : formatShare(value));

function Row({ bucket }: { readonly bucket: CalibrationBucket }) {
  const { from, to, predicted, kept, keptLow, keptHigh, isTelling } = bucket;
  const cell = 'px-4 py-2 text-right tabular-nums';
  const likely =
    keptLow === null || keptHigh === null ? '–' : `${share(keptLow)} – ${share(keptHigh)}`;
  const counts = `${bucket.merged} merged, ${bucket.closed} closed, ${bucket.reverted} reverted`;
  return (
    <tr className="border-t border-line">
      <th scope="row" className="px-4 py-2 text-left font-normal tabular-nums">
        {from}–{to}
        <Bars predicted={predicted} kept={kept} />
        {kept !== null && (
          <span className="mt-1 block text-xs text-pretty text-muted md:hidden">
            {`likely ${likely}; ${counts}`}
          </span>
        )}
      </th>
      <td className={cell}>{share(predicted)}</td>
      <td className={`${cell} ${isTelling ? '' : 'text-muted'}`}>
        {share(kept)}
        {kept !== null && !isTelling ? ' (few)' : ''}
      </td>
      <td className={`${cell} ${extra} text-muted`}>{likely}</td>
      <td className={`${cell} ${extra}`}>{bucket.merged}</td>
      <td className={`${cell} ${extra}`}>{bucket.closed}</td>
      <td className={`${cell} ${extra}`}>{bucket.reverted}</td>
    </tr>
  );
}

/** Decorative: the cells contain the numbers. */
const Bars = ({ predicted, kept }: Pick<CalibrationBucket, 'predicted' | 'kept'>) => (
  <svg aria-hidden viewBox="0 0 100 5" preserveAspectRatio="none" className="mt-1 h-2 w-full">
    <rect width="100" height="2" className="fill-hover" />
    <rect width={(predicted ?? 0) * 100} height="2" className="fill-accent/40" />
    <rect y="3" width="100" height="2" className="fill-hover" />
    <rect y="3" width={(kept ?? 0) * 100} height="2" className="fill-accent" />
  </svg>
);
