import type { Mask } from '../platform/mask.ts';
import type { Agent, AgentSignal } from './port.ts';

/**
 * An agent whose output is safe to store and to show: masks secrets before anything else sees them, and so before texts are
 * truncated, which could leave half a secret.
 */
export function maskedAgent(agent: Agent, mask: Mask): Agent {
  if (mask.isEmpty) return agent;
  return {
    openSession: (title) => agent.openSession(title),
    conversationStatus: (sessionId) => agent.conversationStatus(sessionId),
    prompt: (prompt) => agent.prompt(prompt),
    signals: (signal, onOpen) => maskedSignals(agent.signals(signal, onOpen), mask),
    snapshot: async (sessionId, messagePrefix) => {
      const snapshot = await agent.snapshot(sessionId, messagePrefix);
      return { ...snapshot, signals: snapshot.signals.map((signal) => maskedSignal(signal, mask)) };
    },
    abort: (sessionId) => agent.abort(sessionId),
    answerQuestion: (requestId, answers) => agent.answerQuestion(requestId, answers),
    answerPermission: (requestId, reply, message) =>
      agent.answerPermission(requestId, reply, message),
    exportSession: async (sessionId) => mask.json(await agent.exportSession(sessionId)),
    readOutput: async (path) => mask.text(await agent.readOutput(path)),
    prewarm: (model) => agent.prewarm(model),
    reload: () => agent.reload(),
    rest: () => agent.rest(),
    brokenServers: async () => mask.all(await agent.brokenServers()),
    retryServers: () => agent.retryServers(),
  };
}

/** More than ever stream at once. */
const MAX_STREAMS = 500;

async function* maskedSignals(
  signals: AsyncIterable<AgentSignal>,
  mask: Mask,
): AsyncIterable<AgentSignal> {
  /** By part. The finished part includes the text that its stream still holds back. */
  const streams = new Map<string, ReturnType<Mask['stream']>>();
  for await (const signal of signals) {
    if (signal.kind === 'delta') {
      const stream = streams.get(signal.partId) ?? mask.stream();
      // Parts that never end must not be remembered forever: the oldest is forgotten.
      const [oldest] = streams.keys();
      if (oldest !== undefined && streams.size >= MAX_STREAMS) streams.delete(oldest);
      streams.set(signal.partId, stream);
      const delta = stream.push(signal.delta);
      if (delta !== '') yield { ...signal, delta };
      continue;
    }
    if (signal.kind === 'text' && signal.isDone) streams.delete(signal.partId);
    yield maskedSignal(signal, mask);
  }
}

function maskedSignal(signal: AgentSignal, mask: Mask): AgentSignal {
  if (signal.kind === 'tool' && signal.status === 'running')
    return { ...mask.all(signal), output: mask.unfinished(signal.output) };
  if (signal.kind === 'text' && !signal.isDone)
    return { ...mask.all(signal), text: mask.unfinished(signal.text) };
  return mask.all(signal);
}
