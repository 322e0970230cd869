import type { Sandbox } from 'e2b';

const AGENT_FOLDER = '/home/user/.ship/agent';
export const AGENT_PORT = 4096;

/** Responds like OpenCode to health checks, and with the Python code `answer` to everything else. */
const impostor = (answer: string): string => `
import http.server, time
class Impostor(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def answer(self):
        with open('/tmp/impostor.log', 'a') as log: log.write(self.command + ' ' + self.path + '\\n')
        self.rfile.read(int(self.headers.get('content-length') or 0))
        if self.path.startswith('/global/health'): return self.say(200, b'{}')
        ${answer}
    def say(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name, value)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = do_PATCH = do_DELETE = answer
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer.allow_reuse_address = True
for _ in range(300):
    # Connections of the killed agent hold the port until their other ends have closed.
    try: server = http.server.ThreadingHTTPServer(('127.0.0.1', ${AGENT_PORT}), Impostor)
    except OSError: time.sleep(0.05)
    else: break
open('/tmp/impostor.ready', 'w').close()
server.serve_forever()
`;

/** Kills the agent and takes over its port, its command line and its entry in the pid file. */
export async function replaceAgent(sandbox: Sandbox, answer: string): Promise<void> {
  await sandbox.files.write('/tmp/impostor/serve', impostor(answer));
  await sandbox.commands.run(
    `mkdir -p ${AGENT_FOLDER}; rm -f /tmp/impostor.ready; kill -9 $(cat ${AGENT_FOLDER}/pid) 2>/dev/null
cd /tmp/impostor
setsid bash -c 'echo $$ > ${AGENT_FOLDER}/pid; exec -a opencode python3 serve' > /tmp/impostor.out 2>&1 < /dev/null &
for _ in $(seq 300); do [ -e /tmp/impostor.ready ] && exit 0; sleep 0.05; done; cat /tmp/impostor.out; exit 1`,
    { timeoutMs: 20_000 },
  );
}
