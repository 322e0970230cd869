/**
 * A repository whose setup replaces the agent in its sandbox by a program that answers like it and floods its event
 * stream: a session must survive a compromised sandbox.
 */

/** A prompt that makes it send `calls` tool calls with outputs of `chars` characters. */
export const floodOf = (calls: number, chars: number): string => `flood ${calls} ${chars}`;

/** `events` irrelevant events of `chars` characters: a session records none of them. */
export const noiseOf = (events: number, chars: number): string => `noise ${events} ${chars}`;

/** `calls` tool calls whose input has as many fields as fit into `chars` characters: the most work per byte. */
export const fieldsOf = (calls: number, chars: number): string => `fields ${calls} ${chars}`;

/** Reports `times` times that it is done, each time with a conversation of fields with `chars` characters to read. */
export const historyOf = (times: number, chars: number): string => `history ${times} ${chars}`;

const AGENT = `
const http = require('node:http');
const sessionID = 'ses_flood';
const streams = new Set();
let prompt = null, isBusy = false, parts = 0;
const event = (type, properties) =>
  'data: ' + JSON.stringify({ directory: '/', payload: { type, properties } }) + '\\n\\n';
const tool = (chars) => ({
  id: 'prt_' + ++parts, sessionID, messageID: 'msg_answer' + prompt.id, type: 'tool', callID: 'call_' + parts, tool: 'bash',
  state: { status: 'completed', input: { command: 'echo ' + parts }, output: parts + 'x'.repeat(chars), title: 'flood',
    metadata: {}, time: { start: 1, end: 2 } },
});
const drained = (stream) => new Promise((resolve) => {
  stream.once('drain', resolve); stream.once('close', resolve);
});
const fields = (chars) => Object.fromEntries(Array.from({ length: chars / 14 }, (_, at) => ['f' + at, []]));
let wide;
const said = {
  flood: (chars) => event('message.part.updated', { part: tool(chars) }),
  noise: (chars) => event('noise', { text: 'x'.repeat(chars) }),
  fields: (chars) => {
    const part = tool(10);
    part.state.input = wide ??= fields(chars);
    return event('message.part.updated', { part });
  },
  history: () => event('session.idle', { sessionID }),
};
let historyChars = 0;
async function flood(kind, calls, chars) {
  historyChars = kind === 'history' ? chars : 0;
  for (let sent = 0; sent < calls && isBusy; sent++)
    for (const stream of streams)
      if (!stream.write(said[kind](chars))) await drained(stream);
      else if (kind === 'history') await new Promise((resolve) => setTimeout(resolve, 50));
  isBusy = false;
  for (const stream of streams) stream.write(event('session.idle', { sessionID }));
}
let history;
const historyParts = () => {
  if (historyChars === 0) return [];
  const part = tool(10);
  part.state.input = history ??= fields(historyChars);
  return [part];
};
function messages() {
  if (prompt === null) return [];
  const time = { created: prompt.at };
  const answer = { role: 'assistant', id: 'msg_answer' + prompt.id, sessionID, time: { created: prompt.at + 1 } };
  if (!isBusy) Object.assign(answer, { finish: 'stop', time: { created: prompt.at + 1, completed: prompt.at + 2 } });
  const text = { id: 'prt_text' + prompt.id, sessionID, messageID: answer.id, type: 'text', text: 'Done.', time: { start: 1, end: 2 } };
  return [
    { info: { role: 'user', id: prompt.id, sessionID, time }, parts: [] },
    { info: answer, parts: isBusy ? historyParts() : [text] },
  ];
}
http.createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const path = request.url.split('?')[0];
  const send = (value) => { response.setHeader('content-type', 'application/json'); response.end(JSON.stringify(value)); };
  if (path === '/global/event') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event('server.connected', {}));
    streams.add(response);
    response.once('close', () => streams.delete(response));
  } else if (path.endsWith('/prompt_async')) {
    const { messageID, parts } = JSON.parse(body);
    prompt = { id: messageID, at: Date.now() };
    isBusy = true;
    const [, kind, calls, chars] = /(\\w+) (\\d+) (\\d+)/.exec(parts[0].text);
    void flood(kind, Number(calls), Number(chars));
    response.writeHead(204).end();
  } else if (path.endsWith('/abort')) { isBusy = false; send(true); }
  else if (path.endsWith('/message')) send(messages());
  else if (path === '/session/status') send(isBusy ? { [sessionID]: { type: 'busy' } } : {});
  else if (path === '/session' || path === '/session/' + sessionID) send({ id: sessionID, title: 'flood', directory: '/' });
  else if (path === '/mcp' || path === '/global/health') send({});
  else send([]);
}).listen(4096, '127.0.0.1');
`;

const SETUP = `
agent=$HOME/.ship/agent
until grep -q 'listening on' "$agent/log" 2> /dev/null; do sleep 0.05; done
pid=$(cat "$agent/pid")
kill -KILL "$pid"
while [ -e "/proc/$pid" ]; do sleep 0.05; done
mkdir -p "$HOME/fake" && cp .ship/agent.txt "$HOME/fake/serve"
setsid bash -c 'cd "$HOME/fake"; echo $$ > "$0/pid"; exec -a opencode node serve' "$agent" > "$HOME/fake/log" 2>&1 < /dev/null &
for _ in $(seq 200); do (: < /dev/tcp/127.0.0.1/4096) 2> /dev/null && exit 0; sleep 0.05; done
exit 1
`;

export const FLOODING_REPOSITORY = { '.ship/agent.txt': AGENT, '.ship/setup.sh': SETUP };
