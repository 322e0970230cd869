/**
 * How long a token takes from the model's server through gateway, agent and session to a watcher's socket. The model here
 * sends the current time, so that every token carries its own age.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { LOCAL_TOKEN } from '../../apps/control-plane/test/git/support/control-plane.ts';
import type { WholeWorld } from '../../apps/control-plane/test/support/whole-world.ts';
import { type Spread, spread } from '../statistics.ts';

const TOKENS = 400;
const INTERVAL_MS = 20;
/** The first tokens are slow because their code runs for the first time. */
const WARM_UP_TOKENS = 40;

export async function tokenDelay(world: WholeWorld, repository: string): Promise<Spread> {
  const clock = await startClock();
  try {
    const baseUrl = `http://127.0.0.1:${(clock.address() as AddressInfo).port}/v1`;
    const provider = { protocol: 'openai-chat', baseUrl, key: 'none' };
    await world.call('PUT', '/api/providers/clock', provider);
    const model = 'clock/clock';
    const sessionId = await world.newSession(repository, 'What time is it?', { model });
    const agesMs: number[] = [];
    const url = `${world.parts.url.replace('http', 'ws')}/api/sessions/${sessionId}/socket?after=0`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${LOCAL_TOKEN}` } });
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (!text.startsWith('{"type":"live"')) return;
      for (const [, at] of text.matchAll(/at(\d+\.\d+)/g)) agesMs.push(now() - Number(at));
    });
    await world.rest(sessionId);
    socket.close();
    if (agesMs.length < TOKENS / 2) throw new Error(`only ${agesMs.length} tokens arrived`);
    return spread(agesMs.slice(WARM_UP_TOKENS));
  } finally {
    // Otherwise it would be the default of sessions that name no model.
    await world.call('DELETE', '/api/providers/clock');
    clock.close();
  }
}

const now = () => performance.timeOrigin + performance.now();

function startClock(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[{"id":"clock","object":"model"}]}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void streamTime(response);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function streamTime(response: ServerResponse): Promise<void> {
  const send = (choice: unknown, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'clock', choices: [choice], ...more })}\n\n`,
    );
  for (let i = 0; i < TOKENS; i++) {
    send({ index: 0, delta: { role: 'assistant', content: `at${now().toFixed(3)} ` } });
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
  const usage = { prompt_tokens: 10, completion_tokens: TOKENS, total_tokens: TOKENS + 10 };
  send({ index: 0, delta: {}, finish_reason: 'stop' }, { usage });
  response.end('data: [DONE]\n\n');
}
