import { describe, expect, it } from 'vitest';
import { type SourceContext, combineSources } from './team-environment.ts';
import { environmentScript } from './team-scripts.ts';
import { environmentTable } from './team-table.ts';
import { chooseDevcontainer, findSources } from './find-sources.ts';
import { onLoopback } from './loopback.ts';
import { fits } from './versions.ts';

const scope = {
  folder: '/repository',
  repositoryName: 'shop',
  secretNames: ['TOKEN'],
  devcontainerId: 'abc',
};
const nothing: SourceContext = {
  setupBy: null,
  startBy: null,
  secretNames: ['TOKEN'],
  sandbox: { tools: { node: '22.4.1', git: null }, servers: ['redis'] },
};
const plan = (files: Record<string, string>, context: Partial<SourceContext> = {}) =>
  combineSources(findSources(files, scope), { ...nothing, ...context });

const files = {
  '.devcontainer/devcontainer.json': JSON.stringify({
    dockerComposeFile: ['../compose.dev.yml', 'compose.yaml'],
    service: 'app',
    onCreateCommand: 'one',
    postCreateCommand: 'two',
    postStartCommand: 'serve',
    waitFor: 'onCreateCommand',
    containerEnv: { REDIS_URL: 'redis://cache:6379/0' },
    features: { 'ghcr.io/devcontainers/features/node:1': { version: '20' } },
    secrets: { TOKEN: {}, OTHER: { description: 'of the bank' } },
  }),
  'compose.dev.yml': `services: { app: { environment: { CACHE_HOST: cache, NAME: cache } }, cache: { image: redis } }`,
  '.devcontainer/compose.yaml': `services: { db: { image: postgres } }`,
  'compose.yaml': 'services: { never: { image: mariadb } }',
  '.cursor/environment.json': JSON.stringify({ install: 'npm i', start: 'npm start' }),
};

describe('plan of an environment', () => {
  it('[DE9] the most important file gives the commands, all of them give values', () => {
    const { setupFrom, setup, late, start, services, environment, rows } = plan(files);
    expect(setupFrom).toBe('.devcontainer/devcontainer.json');
    expect([setup, late, start].map((steps) => steps.map(({ item }) => item))).toEqual([
      ['onCreateCommand'],
      ['postCreateCommand'],
      ['postStartCommand'],
    ]);
    expect(services.map(({ name }) => name)).toEqual(['cache']);
    expect(environment).toEqual({
      REDIS_URL: ['redis://127.0.0.1:6379/0'],
      CACHE_HOST: ['127.0.0.1'],
      NAME: ['cache'],
    });
    expect(environmentTable(rows)).toBe(
      `.devcontainer/devcontainer.json: 6 of 9 applied
  applied      onCreateCommand        in the setup
  applied      postCreateCommand      in the background: waitFor names an earlier one
  applied      postStartCommand       at every start of the sandbox, in the background
  applied      waitFor                the agent waits until onCreateCommand has ended
  applied      containerEnv REDIS_URL  for setup, start, tests and agent
  not applied  dockerComposeFile      no container starts; see its services
  not applied  feature node: node 20  the sandbox has 22.4.1
  applied      secret TOKEN           the repository has it
  not applied  secret OTHER           add it in Settings → Secrets (of the bank)
compose.dev.yml: 3 of 3 applied
  applied      app: CACHE_HOST        for setup, start, tests and agent
  applied      app: NAME              for setup, start, tests and agent
  applied      service cache          redis → native redis at 127.0.0.1:6379
.devcontainer/compose.yaml: 0 of 1 applied
  not applied  service db             postgres is not installed: apt-get install postgresql on the machine
.cursor/environment.json: 0 of 2 applied
  not applied  install                .devcontainer/devcontainer.json runs instead
  not applied  start                  .devcontainer/devcontainer.json runs instead`.replaceAll(
        /^(.{2}(?:not )?applied {2,6})(\S.*?) {2,}(\S.*)$/gm,
        (_, head: string, item: string, why: string) => `${head}${item.padEnd(22)}  ${why}`,
      ),
    );
  });

  it('[DE9] settings and scripts of the repository win over all files', () => {
    const { setupFrom, setup, start, services, rows, environment } = plan(files, {
      setupBy: '.ship/setup.sh',
      startBy: '.ship/start.sh',
    });
    expect([setupFrom, setup, start, services]).toEqual([null, [], [], []]);
    expect(Object.keys(environment)).toContain('REDIS_URL');
    const why = (item: string) => rows.find((row) => row.item === item)?.why;
    expect(why('onCreateCommand')).toBe('.ship/setup.sh runs instead');
    expect(why('postStartCommand')).toBe('.ship/start.sh runs instead');
    expect(why('service cache')).toBe('.ship/start.sh starts what the repository needs');
  });

  it('[DE9] without files the plan is empty', () => {
    const empty = plan({});
    expect(empty).toMatchObject({ setupFrom: null, setup: [], environment: {}, rows: [] });
    expect([environmentTable(empty.rows), environmentScript(empty)]).toEqual(['', '']);
  });

  it('[DE1] the file is found in its three locations, and the others are listed', () => {
    const folders = ['.devcontainer/b/devcontainer.json', '.devcontainer/a/devcontainer.json'];
    expect(chooseDevcontainer(folders)).toEqual({
      path: '.devcontainer/a/devcontainer.json',
      others: ['.devcontainer/b/devcontainer.json'],
    });
    expect(chooseDevcontainer([...folders, '.devcontainer.json'])?.path).toBe('.devcontainer.json');
    expect(chooseDevcontainer(['devcontainer.json'])).toBeNull();
    const [source] = findSources({ [folders[0] ?? '']: '{}', [folders[1] ?? '']: '{}' }, scope);
    expect(source?.rows).toEqual([
      { item: folders[0], applied: false, why: `${folders[1]} is used` },
    ]);
  });

  it('[DE2] the environment script contains names of secrets, never values', () => {
    const environment = {
      A: ["it's"],
      B: ['x', { variable: 'TOKEN', fallback: 'a"b' }],
      C: null,
      D: [],
    };
    expect(environmentScript({ environment })).toBe(`if [ -z "\${SHIP_ENVIRONMENT:-}" ]; then
export SHIP_ENVIRONMENT=1
export A='it'\\''s'
export B='x'"\${TOKEN-a\\"b}"
unset C
export D=''
fi`);
  });
});

describe('details of the plan', () => {
  it.each([
    ['URL', 'postgres://u:p@db:5432/db', 'postgres://u:p@127.0.0.1:5432/db'],
    ['URL', 'http://db', 'http://127.0.0.1'],
    ['BROKERS', 'db:9092', '127.0.0.1:9092'],
    ['DB_HOST', 'db', '127.0.0.1'],
    ['DB_NAME', 'db', 'db'],
    ['PATHS', 'db/migrations', 'db/migrations'],
    ['URL', 'http://dbx/', 'http://dbx/'],
  ])('[DE8] %s=%s becomes %s', (name, value, expected) => {
    expect(onLoopback(name, [value], [{ name: 'db' }])).toEqual([expected]);
  });

  it.each([
    ['22', '22.4.1', true],
    ['20', '22.4.1', false],
    ['3.12', '3.1.2', false],
    ['20.x', 'v20.1.0', true],
    ['>=18', '22.0.0', true],
    ['^20.5', '20.4.0', false],
    ['~3.11.2', '3.11.9', true],
    ['lts/*', '1.0', true],
    ['18 || 20', '20.1', true],
  ])('[DE5] %s requested, %s present: %s', (requested, present, expected) => {
    expect(fits(present, requested, 'range')).toBe(expected);
  });
});
