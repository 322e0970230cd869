import { Link } from '@tanstack/react-router';
import type { SessionId } from '@ship/protocol';
import type { ReactNode } from 'react';

interface ReviewLinkProps {
  readonly sessionId: SessionId;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Opens the review page of a session. */
export const ReviewLink = ({ sessionId, ...rest }: ReviewLinkProps) => (
  <Link to="/sessions/$sessionId/review" params={{ sessionId }} {...rest} />
);
