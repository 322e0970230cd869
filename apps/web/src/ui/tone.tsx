import { cva, cx } from 'class-variance-authority';
import type { ReactNode } from 'react';

export type Tone = 'ok' | 'busy' | 'ask' | 'warn' | 'bad' | 'none';

const text = cva('', {
  variants: {
    tone: {
      ok: 'text-ok',
      busy: 'text-accent',
      ask: 'text-warn',
      warn: 'text-warn',
      bad: 'text-bad',
      none: 'text-faint',
    },
  },
});

const isSpinning = (tone: Tone) => tone === 'busy' || tone === 'warn';

/** Each tone has its own shape besides its colour: disc (ok), open ring (busy), exclamation mark (ask), cross (bad). */
export const ToneGlyph = ({
  tone,
  className,
}: {
  readonly tone: Tone;
  readonly className?: string;
}) => (
  <svg
    viewBox="0 0 14 14"
    aria-hidden
    className={cx(
      'size-3.5 shrink-0',
      text({ tone }),
      // Rotate the whole SVG: rotating a shape inside it would repaint the page on every frame.
      isSpinning(tone) && 'animate-spin-slow',
      className,
    )}
  >
    {tone === 'ok' && (
      <>
        <circle cx="7" cy="7" r="6.5" fill="currentColor" opacity=".2" />
        <circle cx="7" cy="7" r="3.25" fill="currentColor" />
      </>
    )}
    {isSpinning(tone) && (
      <g fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round">
        <circle cx="7" cy="7" r="5.25" opacity=".25" />
        <path d="M7 1.75A5.25 5.25 0 0 1 12.25 7" />
      </g>
    )}
    {tone === 'ask' && (
      <>
        <circle cx="7" cy="7" r="6.5" fill="currentColor" opacity=".2" />
        <path d="M7 3.5v4" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
        <circle cx="7" cy="10.25" r="1.1" fill="currentColor" />
      </>
    )}
    {tone === 'bad' && (
      <>
        <circle cx="7" cy="7" r="6.5" fill="currentColor" opacity=".2" />
        <path
          d="m4.75 4.75 4.5 4.5m0-4.5-4.5 4.5"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
        />
      </>
    )}
    {tone === 'none' && (
      <circle
        cx="7"
        cy="7"
        r="5.25"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        opacity=".5"
      />
    )}
  </svg>
);

const badge = cva('inline-flex h-6 items-center gap-1.5 rounded-full px-2 text-xs font-medium', {
  variants: {
    tone: {
      ok: 'bg-ok-soft text-ok',
      busy: 'bg-accent-soft text-accent',
      ask: 'bg-warn-soft text-warn',
      warn: 'bg-warn-soft text-warn',
      bad: 'bg-bad-soft text-bad',
      none: 'bg-hover text-muted',
    },
  },
});

export const ToneBadge = ({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}) => (
  <span className={badge({ tone })}>
    <ToneGlyph tone={tone} />
    {children}
  </span>
);
