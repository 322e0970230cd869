import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { safeHref } from '../markdown/safe-href.ts';
import { useSession } from './session-context.ts';

interface PullRequestLinkProps {
  readonly url: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A pull request of the local forge is read right here; any other is at its forge. */
export function PullRequestLink({ url, className, children }: PullRequestLinkProps) {
  const { sessionId } = useSession();
  const href = safeHref(url);
  if (href === undefined) return <span className={className}>{children}</span>;
  return new URL(href).origin === location.origin ? (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      search={{ pane: 'changes' }}
      className={className}
    >
      {children}
    </Link>
  ) : (
    <a href={href} target="_blank" rel="noreferrer" className={className}>
      {children}
    </a>
  );
}
