/**
 * A repository whose setup replaces the agent in its sandbox by a program that answers like it and floods its event
 * stream: what a session must survive that does not own its sandbox any more.
 */

/** A prompt with these words makes it send so many tool calls with outputs of so many characters. */
export const floodOf = (calls: number, chars: number): string => `flood ${calls} ${chars}`;

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
async function flood(calls, chars) {
  for (let sent = 0; sent < calls && isBusy; sent++)
    for (const stream of streams)
      if (!stream.write(event('message.part.updated', { part: tool(chars) }))) await drained(stream);
  isBusy = false;
  for (const stream of streams) stream.write(event('session.idle', { sessionID }));
}
function messages() {
  if (prompt === null) return [];
  const time = { created: prompt.at };
  const answer = { role: 'assistant', id: 'msg_answer' + prompt.id, sessionID, time: { created: prompt.at + 1 } };
  if (!isBusy) Object.assign(answer, { finish: 'stop', time: { created: prompt.at + 1, completed: prompt.at + 2 } });
  const text = { id: 'prt_text' + prompt.id, sessionID, messageID: answer.id, type: 'text', text: 'Done.', time: { start: 1, end: 2 } };
  return [
    { info: { role: 'user', id: prompt.id, sessionID, time }, parts: [] },
    { info: answer, parts: isBusy ? [] : [text] },
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
    const [, calls, chars] = /flood (\\d+) (\\d+)/.exec(parts[0].text);
    void flood(Number(calls), Number(chars));
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
