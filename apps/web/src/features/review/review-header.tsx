import { Link } from '@tanstack/react-router';
import type { GitState, PullRequestView } from '@ship/protocol';
import { ArrowLeft, ArrowRight, ExternalLink, GitBranch } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonStyles } from '../../ui/button.tsx';
import { ToneBadge } from '../../ui/tone.tsx';
import type { Tone } from '../../ui/tone.tsx';
import { safeHref } from '../markdown/safe-href.ts';
import { useSession } from '../session/session-context.ts';
import { isTurnRunning } from '../session/activity.ts';

interface ReviewHeaderProps {
  readonly known: NonNullable<GitState['pullRequest']>;
  /** Undefined until the forge has answered. */
  readonly view: PullRequestView | undefined;
  readonly actions: ReactNode;
}

/** The pull request's title, state and actions. */
export function ReviewHeader({ known, view, actions }: ReviewHeaderProps) {
  const { sessionId, state } = useSession();
  const shown = view?.pullRequest ?? known;
  const { label, tone } = stateLabel(shown);
  const head = view?.pullRequest.head ?? state.git.branch;
  const base = view?.pullRequest.base ?? state.git.base;
  const href = safeHref(known.url);
  const isElsewhere = href !== undefined && new URL(href).origin !== location.origin;
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-3 border-b border-line bg-canvas px-4 py-3 sm:px-6">
      <div className="min-w-0 flex-[1_1_20rem]">
        <div className="flex items-start gap-2">
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId }}
            aria-label="Back to session"
            title="Back to session"
            className={buttonStyles({ variant: 'ghost', size: 'icon', className: '-my-0.5 -ml-2' })}
          >
            <ArrowLeft aria-hidden />
          </Link>
          <h1 className="min-w-0 text-lg font-semibold tracking-tight text-pretty break-words">
            {shown.title} <span className="font-normal text-muted">#{known.number}</span>
          </h1>
        </div>
        <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-muted">
          <span role="status">
            <ToneBadge tone={tone}>{label}</ToneBadge>
          </span>
          {isTurnRunning(state) && <ToneBadge tone="busy">The agent is working</ToneBadge>}
          {head !== null && (
            <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 font-mono text-xs">
              <GitBranch aria-hidden className="size-3.5 shrink-0" />
              <span className="truncate" title={head}>
                {head}
              </span>
              <ArrowRight aria-label="into" className="size-3 shrink-0" />
              <span className="shrink-0">{base ?? 'its base'}</span>
            </span>
          )}
          {isElsewhere && (
            <a
              href={href}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1 hover:text-ink"
            >
              Open on {siteName(href)} <ExternalLink aria-hidden className="size-3.5" />
            </a>
          )}
        </div>
      </div>
      {actions}
    </header>
  );
}

function siteName(href: string): string {
  const { host } = new URL(href);
  return host === 'github.com' ? 'GitHub' : host;
}

interface StateLabel {
  readonly label: string;
  readonly tone: Tone;
}

function stateLabel({
  state,
  draft,
}: Pick<NonNullable<GitState['pullRequest']>, 'state' | 'draft'>): StateLabel {
  if (state === 'merged') return { label: 'Merged', tone: 'ok' };
  if (state === 'closed') return { label: 'Closed', tone: 'none' };
  return draft ? { label: 'Draft', tone: 'none' } : { label: 'Ready for review', tone: 'ok' };
}
