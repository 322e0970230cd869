import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { SETUP_AGENT_TITLE, setupAgentFacts, setupAgentPrompt } from '@ship/core';
import type { EnvironmentCheck } from '@ship/protocol';
import { Wand2 } from 'lucide-react';
import { loadSessionApi } from '../../api/load.ts';
import { newRequestId } from '../../api/request-id.ts';
import { repositoryPlanQuery } from '../../data/queries.ts';
import { useAction } from '../../data/use-action.ts';
import { Button } from '../../ui/button.tsx';

interface SetupAgentProps {
  readonly location: string;
  /** The latest setup test; the agent gets its failure. */
  readonly check: EnvironmentCheck | null;
}

/** Starts a session that works out a repository's setup and opens a pull request with it. */
export function SetupAgent({ location, check }: SetupAgentProps) {
  const navigate = useNavigate();
  const { data: plan = null } = useQuery(repositoryPlanQuery(location));
  const start = useAction(
    async () =>
      (await loadSessionApi()).createSession({
        requestId: newRequestId(),
        repository: location,
        title: SETUP_AGENT_TITLE,
        prompt: setupAgentPrompt(setupAgentFacts(plan, check)),
        source: 'web',
      }),
    {
      onDone: ({ sessionId }) =>
        void navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
    },
  );
  return (
    <Button
      disabled={start.isPending}
      title="An agent works out the setup, Ship checks it in a clean sandbox, and a pull request adds .ship/setup.sh"
      onClick={() => start.mutate(undefined)}
    >
      <Wand2 aria-hidden /> Let an agent write the setup
    </Button>
  );
}
