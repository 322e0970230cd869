import type { ModelRef, SessionId, Turn } from '@ship/protocol';
import type { Agent, AgentConfig, AgentLaunch } from '../../agent/port.ts';
import { maskedAgent } from '../../agent/masked.ts';
import type { ArtifactStore } from '../../artifacts/index.ts';
import { sha256Hex } from '../../platform/bytes.ts';
import { sessionArtifact } from '../artifact-key.ts';
import { isDone } from './stages.ts';
import type { SessionStore } from '../session-store.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import { type Granted, grantedBy, toolsConfig } from './tool-servers.ts';
import type { AgentParts, Bench, ModelAccess, TurnBench, Workplace } from './parts.ts';

const CONVERSATION = 'conversation.json';
const HALF_DAY_MS = 12 * 3_600_000;

/**
 * The launch configuration of a session's agent. A capability that changed with every turn would change the configuration and
 * so restart the process: it therefore stays the same for half a day and is valid for longer than that.
 */
export async function agentLaunch(
  {
    sessionId,
    sandboxId,
    model,
    repository,
  }: { sessionId: SessionId; sandboxId: string; model: ModelRef; repository: string | null },
  parts: AgentParts,
): Promise<{
  launch: Omit<AgentLaunch, 'sandboxId' | 'restore' | 'isFresh'>;
  models: ModelAccess;
  granted: Granted;
}> {
  const expiresAt = (Math.floor(Date.now() / HALF_DAY_MS) + 3) * HALF_DAY_MS;
  const [models, gatewayToken, password, grant] = await Promise.all([
    parts.models(model),
    parts.modelsCapability({ sessionId, sandboxId }, expiresAt),
    sha256Hex(`agent:${parts.gatewaySecret}:${sessionId}`),
    parts.grant(repository),
  ]);
  const granted = grantedBy(grant);
  const config: AgentConfig = {
    folder: REPOSITORY_FOLDER,
    providers: models.providers,
    smallModel: models.smallModel,
    gatewayToken,
    permissions: {},
    ...toolsConfig(granted),
  };
  return { launch: { config, password, env: {} }, models, granted };
}

/** Starts the agent, or connects to the running one. */
export async function launchAgent(
  place: TurnBench,
  parts: AgentParts,
  store: SessionStore,
  artifacts: ArtifactStore,
  turn: Turn,
): Promise<Launched> {
  const state = place.state();
  const { sandboxId, port } = place;
  const { launch, models, granted } = await agentLaunch({ ...state, sandboxId }, parts);
  const restore = mustRestore(place, store)
    ? await storedConversation(artifacts, state.sessionId)
    : null;
  const env = place.secrets;
  const isFresh = mustStartFresh(place, turn);
  const agent = await parts.launcher(port).launch({ ...launch, env, sandboxId, restore, isFresh });
  return { agent: maskedAgent(agent, place.mask), models, granted };
}

export interface Launched {
  agent: Agent;
  models: ModelAccess;
  granted: Granted;
}

/** Only in a sandbox that has not had the agent yet: the agent's own memory is newer than the saved conversation. */
export function mustRestore({ state }: Bench, store: SessionStore): boolean {
  return !isDone(store, 'agent') && state().agent.agentSessionId !== null;
}

async function storedConversation(
  artifacts: ArtifactStore,
  sessionId: SessionId,
): Promise<string | null> {
  const found = await artifacts.get(sessionArtifact(sessionId, CONVERSATION));
  return found === undefined ? null : new Response(found.body).text();
}

/**
 * A failed attempt may have left the agent's process in a bad state, such as an interrupted start-up. Not once the attempt has
 * begun: after a crash the agent may be working on it.
 */
function mustStartFresh({ state }: Bench, { turnId, attempt, continues }: Turn): boolean {
  const begun = state().agent.turn;
  const isBegun = begun?.turnId === turnId && begun.attempt === attempt;
  return !isBegun && (attempt > 1 || continues);
}

/** Undefined before the first prompt. */
export async function readConversation(
  agent: Agent,
  place: Workplace,
): Promise<string | undefined> {
  const { agentSessionId } = place.state().agent;
  return agentSessionId === null ? undefined : agent.exportSession(agentSessionId);
}

/** Stored so that the agent of a new sandbox knows the conversation. */
export async function storeConversation(
  text: string,
  place: Workplace,
  artifacts: ArtifactStore,
): Promise<void> {
  const key = sessionArtifact(place.state().sessionId, CONVERSATION);
  await artifacts.put(key, new TextEncoder().encode(text), 'application/json');
}
