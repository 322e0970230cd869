import { isStale, displayBody } from '@ship/core';
import type { PullRequestView } from '@ship/protocol';
import { formatAgo } from '../../ui/duration.ts';
import { ToneGlyph } from '../../ui/tone.tsx';
import { useNow } from '../../ui/use-now.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { ChangedLines } from '../sessions/session-facts.tsx';
import { useSession } from '../session/session-context.ts';
import { ChecksLine, ConfidencePanel, NotVerifiedPanel, Panel, TestsPanel } from './evidence.tsx';

/** Evidence for the change, above its diff. */
export function Overview({ view }: { readonly view: PullRequestView }) {
  const { confidence, after, notVerified } = useSession().state.verification;
  const { mergeable, state, base, headSha } = view.pullRequest;
  const body = displayBody(view.pullRequest.body).trim();
  const isOld = isStale(after, headSha);
  return (
    <div className="space-y-4 border-b border-line bg-rail p-4 sm:px-6">
      <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
        {confidence === null ? (
          <NotVerifiedPanel reason={notVerified ?? null} />
        ) : (
          <ConfidencePanel confidence={confidence} isStale={isOld} />
        )}
        <TestsPanel headSha={headSha} />
        <Panel id="commits" title="Commits and checks" className="lg:max-xl:col-span-2">
          <Commits />
          <div className="space-y-1 border-t border-line pt-3">
            <ChecksLine checks={view.checks} />
            {state === 'open' && mergeable === false && (
              <p className="flex items-center gap-1.5 text-sm text-bad">
                <ToneGlyph tone="bad" /> Conflicts with {base}; update from base
              </p>
            )}
          </div>
        </Panel>
      </div>
      {body !== '' && (
        <details className="group rounded-xl border border-line bg-surface shadow-card">
          <summary className="px-4 py-2.5 text-sm font-medium">Description</summary>
          <Markdown text={body} className="border-t border-line px-4 py-3" />
        </details>
      )}
    </div>
  );
}

function Commits() {
  const { commits, commitCount } = useSession().state.git;
  const nowMs = useNow();
  const isTruncated = commitCount > commits.length;
  return (
    <>
      <ol aria-label="Commits" className="mb-3 max-h-40 space-y-1.5 overflow-y-auto text-sm">
        {commits.map(({ sha, message, additions, deletions, at }) => (
          <li key={sha}>
            <p className="line-clamp-2 text-pretty" title={message}>
              {message.split('\n')[0]}
            </p>
            <p className="flex items-baseline gap-2 text-xs text-muted">
              <code className="font-mono">{sha.slice(0, 7)}</code>
              <ChangedLines additions={additions} deletions={deletions} />
              <span className="whitespace-nowrap">{formatAgo(nowMs - at)}</span>
            </p>
          </li>
        ))}
      </ol>
      {isTruncated && (
        <p className="mb-3 text-xs text-muted">
          Latest {commits.length} of {commitCount}
        </p>
      )}
    </>
  );
}
