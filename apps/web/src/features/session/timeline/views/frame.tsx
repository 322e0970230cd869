import { cx } from 'class-variance-authority';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Item } from '../items.ts';

export interface ViewProps {
  readonly item: Item;
}

interface LineProps {
  readonly icon: LucideIcon;
  readonly children: ReactNode;
  readonly tone?: 'quiet' | 'warn' | 'bad';
}

const tones = { quiet: 'text-muted', warn: 'text-warn', bad: 'text-bad' } as const;

/** A one-line event. */
export const Line = ({ icon: Icon, tone = 'quiet', children }: LineProps) => (
  <p className={cx('flex items-start gap-2 py-1 text-sm', tones[tone])}>
    <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
    <span className="min-w-0 break-words">{children}</span>
  </p>
);

interface NoticeCardProps {
  readonly tone: 'ask' | 'bad' | 'plain';
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

const cards = {
  ask: 'border-warn/40 bg-warn-soft',
  bad: 'border-bad/40 bg-bad-soft',
  plain: 'border-line bg-surface',
} as const;

/** A card for events that a person should read, with actions. */
export const NoticeCard = ({ tone, title, children, actions }: NoticeCardProps) => (
  <div className={cx('my-2 rounded-xl border p-3', cards[tone])}>
    <p className="font-medium break-words">{title}</p>
    {children !== undefined && (
      <div className="mt-0.5 text-sm break-words text-muted">{children}</div>
    )}
    {Boolean(actions) && <div className="mt-3 flex flex-wrap gap-2">{actions}</div>}
  </div>
);
