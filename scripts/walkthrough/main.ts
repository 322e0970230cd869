/**
 * `npm run walkthrough [-- --here] [--out FILE]`: walks from the README to a merged pull request, for real, and writes
 * the commands and their answers to docs/walkthrough.md. `--here` uses this checkout instead of a new clone, which is
 * installed from the npm registry and takes minutes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseScript, startDemoModel } from '@ship/demo-model';
import { freePort } from '../testing/free-port.ts';
import { FILES, SCRIPT, TASK } from './repository.ts';
import { neutral, type } from './transcript.ts';
import { removeFolder } from '../testing/remove-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INSTALL_MS = 15 * 60_000;
const COMMAND_MS = 4 * 60_000;

const { values } = parseArgs({
  options: {
    here: { type: 'boolean', default: false },
    out: { type: 'string', default: join(ROOT, 'docs/walkthrough.md') },
  },
});

const home = mkdtempSync(join(tmpdir(), 'ship-walk-'));
const clone = values.here ? ROOT : join(home, 'ship');
const shop = join(home, 'code/shop');
const data = join(home, 'data');
const port = await freePort();
const text: string[] = [];
const say = (...lines: string[]) => text.push(...lines, '');
const told = (command: string, output: string) =>
  say('```console', `$ ${command}`, ...[neutral(output, { home, port })].filter(Boolean), '```');

const model = await startDemoModel({ script: parseScript(SCRIPT) });
const env: NodeJS.ProcessEnv = {
  ...process.env,
  HOME: home,
  NO_COLOR: '1',
  npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
  npm_config_update_notifier: 'false',
  SHIP_URL: `http://localhost:${port}`,
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

async function typed(shown: string, cwd: string, ...argv: [string, ...string[]]): Promise<string> {
  const output = await type({ shown, argv, cwd }, env, COMMAND_MS);
  told(shown, output);
  return output;
}
function fail(message: string): never {
  throw new Error(message);
}
const ship = (shown: string, ...args: string[]) =>
  typed(shown, clone, process.execPath, join(clone, 'apps/cli/src/main.ts'), ...args);

/** Resolves when the server is ready; the transcript has its output until then. */
function startShip(): Promise<{ stop: () => Promise<void>; output: string }> {
  const args = ['start', '--', '--no-open', '--port', String(port), '--data', data];
  const child = spawn('npm', args, {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => void stop().then(() => reject(new Error(output))), INSTALL_MS);
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      const ready = /^ship: ready .*$/m.exec(output);
      if (ready === null) return;
      clearTimeout(timer);
      resolve({ stop, output: ready[0] });
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    void ended.then(() => reject(new Error(output)));
  });
}

let stop = async () => {};
try {
  say(
    '# A walk from the README to a merged pull request',
    '',
    '<!-- Made by `npm run walkthrough` from a real run: do not edit. -->',
    '',
    'Every command below was typed, and every answer is real; only paths, ids and clock times are replaced. The model',
    'is a script behind an OpenAI-style server (so that you can run this again without a key); everything else is real.',
    '',
    '## 1. Start it',
  );
  if (!values.here) {
    execFileSync('git', ['clone', '--quiet', ROOT, clone]);
    say('```console', '$ git clone URL-OF-SHIP ship && cd ship', '```');
  }
  mkdirSync(data, { recursive: true });
  const careful = {
    name: 'Careful 1',
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  };
  const provider = {
    protocol: 'openai-chat',
    baseUrl: model.baseUrl,
    key: 'none',
    models: { 'careful-1': careful },
  };
  writeFileSync(join(data, 'models.json'), JSON.stringify({ providers: { own: provider } }));
  const started = await startShip();
  stop = started.stop;
  env['SHIP_TOKEN'] = readFileSync(join(data, 'secrets/local-token'), 'utf8').trim();
  told('npm start', started.output);

  say('## 2. A repository', '', 'It has a bug, and a test that shows it.');
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(shop, path)), { recursive: true });
    writeFileSync(join(shop, path), content);
  }
  say('```console', '$ cat ~/code/shop/cart.js', (FILES['cart.js'] ?? '').trimEnd(), '```');
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-qm', 'A shop'],
  ])
    execFileSync('git', args, { cwd: shop, env });
  await typed('git -C ~/code/shop log --oneline', shop, 'git', 'log', '--oneline');

  say(
    '## 3. A model',
    '',
    'Its server is in `models.json` of the data folder ([models.md](models.md)); a key in the environment does as well.',
  );
  await ship('npx ship models', 'models');

  say('## 4. The task');
  await ship(
    `npx ship run --repo ~/code/shop --model own/careful-1 --budget 2 --wait "${TASK}"`,
    'run',
    '--repo',
    shop,
    '--model',
    'own/careful-1',
    '--budget',
    '2',
    '--wait',
    TASK,
  );

  say('## 5. Look, and merge');
  const listed = await ship('npx ship ls', 'ls');
  const [sessionId] = /ses_[0-9a-z]{26}/.exec(listed) ?? fail('ship ls shows no session');
  await ship('npx ship pr', 'pr');
  await ship('npx ship pr diff', 'pr', 'diff');
  await ship('npx ship pr ready', 'pr', 'ready');
  // A merge cannot be undone, so it names its session.
  await ship(neutral(`npx ship pr merge ${sessionId}`, { home, port }), 'pr', 'merge', sessionId);

  say(
    '## 6. It is there',
    '',
    'The forge works on the folder itself: `main` has the change, and the tests pass.',
  );
  await typed(
    'git -C ~/code/shop log --oneline --no-decorate',
    shop,
    'git',
    'log',
    '--oneline',
    '--no-decorate',
  );
  await typed(
    'git -C ~/code/shop show --stat --format=%s HEAD',
    shop,
    'git',
    'show',
    '--stat',
    '--format=%s',
    'HEAD',
  );
  await typed('cd ~/code/shop && npm test', shop, 'npm', 'test');
  say('Ctrl-C in the first terminal ends everything; the next `npm start` finds it all again.');
  writeFileSync(values.out, `${text.join('\n').trimEnd()}\n`);
  console.log(`written: ${values.out}`);
} finally {
  await stop();
  await model.close();
  removeFolder(home);
}
