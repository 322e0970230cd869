import { Link } from '@tanstack/react-router';
import { GitPullRequestDraft } from 'lucide-react';
import { buttonStyles } from '../../ui/button.tsx';
import { Empty } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { useSession } from '../session/session-context.ts';

export function NoPullRequest() {
  const { sessionId, state } = useSession();
  return (
    <Page title={`Review: ${state.title}`}>
      <h1 className="mb-4 text-xl font-semibold tracking-tight break-words">{state.title}</h1>
      <Empty
        icon={GitPullRequestDraft}
        title="No pull request yet"
        action={
          <Link to="/sessions/$sessionId" params={{ sessionId }} className={buttonStyles()}>
            Back to session
          </Link>
        }
      >
        The agent&rsquo;s first change opens a draft, which appears here.
      </Empty>
    </Page>
  );
}
