import type { AgentConfig, AgentLaunch } from '../../agent/port.ts';
import type { Agent } from '../../agent/port.ts';
import type { ArtifactStore } from '../../artifacts/index.ts';
import { sha256Hex } from '../../platform/bytes.ts';
import { sessionArtifact } from '../artifact-key.ts';
import { isDone } from './stages.ts';
import type { SessionStore } from '../session-store.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import type { ModelAccess, WorkshopParts, Workplace } from './parts.ts';

const CONVERSATION = 'conversation.json';
const HALF_DAY_MS = 12 * 3_600_000;

/**
 * Starts the agent, or finds the one that runs. A capability that changed with every turn would make it another
 * configuration and so another process: hence one that stays the same for half a day and is good for more than one.
 */
export async function launchAgent(
  place: Workplace,
  parts: WorkshopParts,
  store: SessionStore,
  artifacts: ArtifactStore,
): Promise<{ agent: Agent; models: ModelAccess }> {
  const { sessionId, model, agent } = place.state();
  const models = await parts.models(model);
  const expiresAt = (Math.floor(Date.now() / HALF_DAY_MS) + 3) * HALF_DAY_MS;
  const config: AgentConfig = {
    folder: REPOSITORY_FOLDER,
    providers: models.providers,
    smallModel: models.smallModel,
    gatewayToken: await parts.modelsCapability(sessionId, expiresAt),
    permissions: {},
    instructions: [],
    skills: [],
    mcp: {},
  };
  // Only a sandbox that has not had the agent yet: its own memory is newer than what was saved.
  const isNew = !isDone(store, 'agent');
  const launch: AgentLaunch = {
    sandboxId: place.sandboxId,
    config,
    password: await sha256Hex(`agent:${parts.gatewaySecret}:${sessionId}`),
    restore:
      isNew && agent.agentSessionId !== null ? await readConversation(artifacts, sessionId) : null,
  };
  return { agent: await parts.launcher(place.port).launch(launch), models };
}

type SessionId = ReturnType<Workplace['state']>['sessionId'];

async function readConversation(
  artifacts: ArtifactStore,
  sessionId: SessionId,
): Promise<string | null> {
  const found = await artifacts.get(sessionArtifact(sessionId, CONVERSATION));
  return found === undefined ? null : new Response(found.body).text();
}

/** So that the agent of a new sandbox knows what was said. */
export async function saveConversation(
  agent: Agent,
  place: Workplace,
  artifacts: ArtifactStore,
): Promise<void> {
  const { sessionId, agent: known } = place.state();
  if (known.agentSessionId === null) return;
  const text = await agent.exportSession(known.agentSessionId);
  const bytes = new TextEncoder().encode(text);
  await artifacts.put(sessionArtifact(sessionId, CONVERSATION), bytes, 'application/json');
}
