/** What each benchmark measures and how, for people: docs/benchmarks.md is made of this and of the figures. */
export const METHODS: Readonly<Record<string, { title: string; method: string }>> = {
  demo: {
    title: 'From a task to a draft pull request',
    method:
      '`ship demo` with a data folder whose template is built: server, sandbox, agent, tests and pull request, the first time, again, and beside a server that runs with an agent that waits. The model is scripted and answers at once.',
  },
  start: {
    title: 'Starting Ship',
    method:
      '`npm start` in a new clone with an empty npm cache, then again with nothing changed (median of 5), beside an empty Node process.',
  },
  sandbox: {
    title: 'Sandboxes through E2B’s SDK',
    method:
      'The unmodified SDK against the sandbox server, 20 times each, beside a bare `bwrap` of the same run.',
  },
  'sandbox-cold': {
    title: 'A cold sandbox',
    method:
      'Create to the first output, in turns with a bare `bwrap`: what else the machine does slows both alike.',
  },
  isolation: {
    title: 'Isolation alone',
    method: 'Start, exec, pause, memory and fork of the back end, without server and SDK.',
  },
  agent: {
    title: 'The agent',
    method:
      'OpenCode in a sandbox with the scripted model, and the age of its words when a watcher gets them.',
  },
  session: {
    title: 'A session’s object',
    method:
      'Durable appends, fan-out to watchers and long logs, beside a plain Node server that does the same, 3 to 5 rounds in turns.',
  },
  web: {
    title: 'The page',
    method:
      'The built page in headless Chromium, drawn by the processor, against a real server on the same machine. Typing is from the key event until the letter is in the field and the page’s work for it is done, 150 keys while a made-up agent says 200 tokens a second on the real socket; until it is drawn, up to 17 ms more are the wait for the next frame, so that is told beside a page on which nothing streams. An echo is from the key event until the frame with the letter is drawn: page, control plane, sandbox, PTY and back. Memory is after garbage collection, with half an hour of tokens told in a minute.',
  },
  models: {
    title: 'The model gateway',
    method:
      'Time to the first byte of a stream, through the gateway and straight from the same provider, 60 rounds in turns.',
  },
  git: {
    title: 'Git',
    method:
      'Clones of a generated repository beside git’s own best, the end of a turn that took 2.5 s to its pull request, and 200 MB through the gateway beside a direct line.',
  },
  scale: {
    title: 'A large workspace',
    method:
      'Lists, board and figures with 100, 1,000 and 10,000 sessions (processor time of 100 requests each), and 200 sessions whose alarms are due at once.',
  },
};
