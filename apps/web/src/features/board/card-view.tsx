import { Link } from '@tanstack/react-router';
import type { Card } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { Play } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { repositoryName } from '../../ui/format.ts';
import { ToneGlyph } from '../../ui/tone.tsx';
import { SessionFacts } from '../sessions/session-facts.tsx';
import { presentStatus } from '../sessions/status.ts';
import { titleOf } from './title-of.ts';

export interface CardActions {
  readonly onKey: (card: Card, event: KeyboardEvent) => void;
  readonly onDragStart: (card: Card) => void;
  readonly onDragEnd: () => void;
  readonly onEdit: (card: Card & { kind: 'draft' }) => void;
  readonly onStart: (card: Card & { kind: 'draft' }) => void;
}

interface CardViewProps {
  readonly card: Card;
  readonly isDragged: boolean;
  /** Where the dragged card would be inserted. */
  readonly mark: 'above' | 'below' | null;
  readonly actions: CardActions;
}

/** The title is the card's only link or button; its hit area covers the whole card. */
export function CardView({ card, isDragged, mark, actions }: CardViewProps) {
  const onKeyDown = (event: KeyboardEvent) => actions.onKey(card, event);
  return (
    <li
      draggable
      data-card-item
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', titleOf(card));
        actions.onDragStart(card);
      }}
      onDragEnd={() => {
        actions.onDragEnd();
      }}
      className={cx(
        'group relative cursor-grab rounded-lg border border-line bg-surface p-3 shadow-card transition-[opacity,border-color] hover:border-line-strong',
        isDragged && 'opacity-40',
        mark === 'above' &&
          'before:absolute before:inset-x-0 before:-top-1.5 before:h-0.5 before:rounded before:bg-accent',
        mark === 'below' &&
          'before:absolute before:inset-x-0 before:-bottom-1.5 before:h-0.5 before:rounded before:bg-accent',
      )}
    >
      {card.kind === 'draft' ? (
        <DraftBody card={card} actions={actions} onKeyDown={onKeyDown} />
      ) : (
        <StartedBody card={card} onKeyDown={onKeyDown} />
      )}
    </li>
  );
}

const cover =
  'text-left text-sm font-medium text-pretty break-words outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-accent';

interface BodyProps<Kind extends Card['kind']> {
  readonly card: Card & { kind: Kind };
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const CardFooter = ({ children }: { readonly children: ReactNode }) => (
  <div className="mt-2 flex min-h-5 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
    {children}
  </div>
);

const smallButton =
  'relative inline-flex h-7 items-center gap-1 rounded-md border border-line bg-surface px-2 text-xs font-medium text-muted hover:border-line-strong hover:text-ink';

function DraftBody({
  card,
  actions,
  onKeyDown,
}: BodyProps<'draft'> & { readonly actions: CardActions }) {
  const { title, repository } = card.draft;
  return (
    <>
      <button
        type="button"
        data-card={card.cardId}
        className={cover}
        onKeyDown={onKeyDown}
        onClick={() => actions.onEdit(card)}
      >
        {title}
      </button>
      <CardFooter>
        <span className="min-w-0 flex-1 truncate">
          {repository === null ? 'No repository yet' : repositoryName(repository)}
        </span>
        <button
          type="button"
          aria-label={`Start ${title}`}
          disabled={repository === null}
          title={repository === null ? 'Choose a repository first' : undefined}
          onClick={() => actions.onStart(card)}
          className={cx(smallButton, 'disabled:opacity-50')}
        >
          <Play aria-hidden className="size-3" /> Start
        </button>
      </CardFooter>
    </>
  );
}

function StartedBody({ card, onKeyDown }: BodyProps<'session' | 'starting'>) {
  const sessionId = card.kind === 'session' ? card.session.sessionId : card.sessionId;
  const { label, tone } =
    card.kind === 'session'
      ? presentStatus(card.session)
      : ({ label: 'Starting', tone: 'busy' } as const);
  const repository = card.kind === 'session' ? card.session.repository : card.draft.repository;
  return (
    <>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId }}
        data-card={card.cardId}
        draggable={false}
        className={cover}
        onKeyDown={onKeyDown}
      >
        {titleOf(card)}
      </Link>
      {repository !== null && (
        <p className="truncate text-xs text-muted">{repositoryName(repository)}</p>
      )}
      <CardFooter>
        <span className="inline-flex w-full items-center gap-1.5">
          <ToneGlyph tone={tone} /> {label}
        </span>
        {card.kind === 'session' && <SessionFacts session={card.session} isNarrow />}
      </CardFooter>
    </>
  );
}
