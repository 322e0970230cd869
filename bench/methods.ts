/** Describes each benchmark: docs/benchmarks.md is generated from this and the figures. */
export const METHODS: Readonly<Record<string, { title: string; method: string }>> = {
  demo: {
    title: 'From a task to a draft pull request',
    method:
      '`ship demo` with a data folder that has its template: server, sandbox, agent, tests and pull request, for the first time, again, and beside a running server with a warm agent. The model is scripted and answers immediately.',
  },
  start: {
    title: 'Starting Ship',
    method:
      '`npm start` in a new clone with an empty npm cache, then again with nothing changed (median of 5), compared with an empty Node process.',
  },
  sandbox: {
    title: 'Sandboxes through E2B’s SDK',
    method:
      'The unmodified SDK against the sandbox server, 20 times each, compared with a bare `bwrap` in the same run.',
  },
  'sandbox-cold': {
    title: 'A cold sandbox',
    method:
      'From create to the first output, alternating with a bare `bwrap`: other load on the machine slows both alike.',
  },
  isolation: {
    title: 'Isolation alone',
    method: 'Start, exec, pause, memory and fork of the back end, without server and SDK.',
  },
  agent: {
    title: 'The agent',
    method:
      'OpenCode in a sandbox with the scripted model, and the age of its tokens when a watcher receives them.',
  },
  session: {
    title: 'A session’s Durable Object',
    method:
      'Durable appends, fan-out to watchers and long logs, compared with a plain Node server that does the same, in 3 to 5 alternating rounds.',
  },
  web: {
    title: 'The web app',
    method:
      'The built web app in headless Chromium with software rendering, against a real server on the same machine. Typing is from the key event until the letter is in the field and the app’s work for it is done, 150 keys while a simulated agent streams 200 tokens per second on the real socket; drawing it takes up to 17 ms more until the next frame, so that figure is relative to an app in which nothing streams. An echo is from the key event until the frame with the letter is drawn: browser, control plane, sandbox, PTY and back. Memory is after garbage collection, with half an hour of tokens sent within a minute.',
  },
  models: {
    title: 'The model gateway',
    method:
      'Time to the first byte of a stream, through the gateway and directly from the same provider, in 60 alternating rounds.',
  },
  git: {
    title: 'Git',
    method:
      'Clones of a generated repository compared with git’s own best, the time from the end of a turn of 2.5 s to its pull request, and 200 MB through the gateway compared with a direct connection.',
  },
  scale: {
    title: 'A large workspace',
    method:
      'Lists, board and figures with 100, 1,000 and 10,000 sessions (CPU time of 100 requests each), and 200 sessions whose alarms are due at the same time.',
  },
};
