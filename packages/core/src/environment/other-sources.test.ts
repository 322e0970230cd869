import { describe, expect, it } from 'vitest';
import { readCompose } from './compose.ts';
import { readCopilotSetupSteps } from './copilot-setup-steps.ts';
import { readCursorEnvironment } from './cursor-environment.ts';

const steps = (text: string) =>
  readCopilotSetupSteps('steps.yml', text, { secretNames: ['TOKEN'] });
const compose = (text: string, codeService: string | null = null) =>
  readCompose({ path: 'compose.yaml', text, codeService, secretNames: ['DB_PASSWORD'] });

describe('copilot-setup-steps.yml', () => {
  it('[DE7] runs its run steps and takes tools from its actions', () => {
    const {
      steps: found,
      tools,
      rows,
      environment,
      services,
    } = steps(`
name: Copilot Setup Steps
on: workflow_dispatch
jobs:
  copilot-setup-steps:
    runs-on: ubuntu-latest
    env: { MODE: test, AUTH: "Bearer \${{ secrets.TOKEN }}", SHA: "\${{ github.sha }}" }
    services:
      postgres: { image: "postgres:16", env: { POSTGRES_PASSWORD: pw }, ports: ["5432:5432"] }
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v4
        with: { node-version: 22, cache: npm }
      - uses: dtolnay/rust-toolchain@stable
      - name: Install
        run: |
          npm ci
          npm run build
        working-directory: web
        env: { X: "it's" }
      - name: Conditional
        if: github.event_name == 'push'
        run: exit 1
      - name: Expression
        run: echo \${{ matrix.x }}
      - name: Path
        run: echo /x >> $GITHUB_PATH
      - uses: someone/custom@v1
`);
    expect(found).toEqual([
      {
        phase: 'create',
        item: 'step “Install”',
        commands: [
          {
            name: null,
            line: `set -eo pipefail\nexport X='it'\\''s'\ncd -- 'web'\nnpm ci\nnpm run build\n`,
          },
        ],
      },
    ]);
    expect(tools.map(({ tool, version }) => [tool, version])).toEqual([
      ['node', '22'],
      ['rust', null],
    ]);
    expect(environment).toEqual({
      MODE: ['test'],
      AUTH: ['Bearer ', { variable: 'TOKEN', fallback: '' }],
    });
    expect(services.map(({ server, port }) => [server, port])).toEqual([['postgres', 5432]]);
    expect(rows.filter(({ applied }) => !applied).map(({ item }) => item)).toEqual([
      'SHA',
      'step “Conditional”',
      'step “Expression”',
      'step “Path”',
      'step “someone/custom@v1”',
    ]);
  });

  it.each([
    ['jobs: [', 'it is not valid YAML'],
    ['jobs: { test: { steps: [] } }', 'it has no job “copilot-setup-steps” with steps'],
  ])('[DE7] %j is reported as unreadable', (text, why) => {
    expect(steps(text).rows).toEqual([{ item: 'steps.yml', applied: false, why }]);
  });
});

describe('.cursor/environment.json', () => {
  it('[DE7] installs, starts, and runs its terminals in the background', () => {
    const {
      steps: found,
      ports,
      tools,
      rows,
    } = readCursorEnvironment(
      `{
        "build": { "dockerfile": "Dockerfile", "context": "." },
        "snapshot": "snapshot-1",
        "install": "pnpm install",
        "start": "sudo service docker start",
        "terminals": [{ "name": "dev server", "command": "pnpm dev" }, { "command": "pnpm watch" }],
        "ports": [{ "name": "web", "port": 3000 }],
      }`,
      { '.cursor/Dockerfile': 'FROM golang:1.22' },
    );
    expect(found.map(({ phase, commands }) => [phase, commands.map(({ line }) => line)])).toEqual([
      ['create', ['pnpm install']],
      ['start', ['sudo service docker start']],
      ['attach', ['pnpm dev', 'pnpm watch']],
    ]);
    expect(ports).toEqual([{ port: 3000, label: 'web', opensPreview: false }]);
    expect(tools).toEqual([{ tool: 'go', version: '1.22', item: 'Dockerfile' }]);
    expect(rows.find(({ item }) => item === 'snapshot')?.applied).toBe(false);
    expect(readCursorEnvironment('{', {}).rows[0]?.applied).toBe(false);
  });
});

describe('compose files', () => {
  it('[DE8] databases and caches become native servers with their ports and credentials', () => {
    const { services, rows } = compose(`
x-env: &env { POSTGRES_USER: app }
services:
  db:
    image: docker.io/library/postgres:16-alpine@sha256:0123
    environment: { <<: *env, POSTGRES_PASSWORD: "\${DB_PASSWORD:?needed}", POSTGRES_DB: shop }
    ports: ["127.0.0.1:\${DB_PORT:-5433}:5432"]
  trusted: { image: pgvector/pgvector:pg16, environment: [POSTGRES_HOST_AUTH_METHOD=trust] }
  cache: { image: "valkey/valkey:8", command: [valkey-server, --requirepass, hush] }
  sql:
    image: mysql:8.4
    environment:
      - MYSQL_ROOT_PASSWORD=\${ROOT:-root}
      - MYSQL_DATABASE=shop
    ports: [{ target: 3306, published: 3307 }]
  mail: { image: axllent/mailpit }
  web: { build: . }
  optional: { image: redis, profiles: [full] }
`);
    expect(services).toEqual([
      {
        name: 'db',
        server: 'postgres',
        image: 'docker.io/library/postgres:16-alpine@sha256:0123',
        port: 5433,
        user: ['app'],
        password: [{ variable: 'DB_PASSWORD', fallback: 'needed' }],
        database: ['shop'],
      },
      expect.objectContaining({ name: 'trusted', port: 5432, user: ['postgres'], password: [] }),
      expect.objectContaining({ name: 'cache', server: 'redis', port: 6379, password: ['hush'] }),
      expect.objectContaining({
        name: 'sql',
        server: 'mariadb',
        port: 3307,
        user: ['root'],
        password: ['root'],
        database: ['shop'],
      }),
    ]);
    expect(rows.map(({ item, applied }) => [item, applied])).toEqual([
      ['service mail', false],
      ['service web', false],
      ['service optional', false],
    ]);
  });

  it('[DE8] the code’s service provides its variables, and reaches servers at their default ports', () => {
    const { services, environment, rows } = compose(
      `
services:
  app:
    build: { context: . }
    environment: { DATABASE_URL: "postgres://app:\${DB_PASSWORD}@db:5432/shop", EMPTY: }
  db: { image: postgres, ports: ["5433:5432"] }
  second: { image: postgres }
`,
      'app',
    );
    expect(services.map(({ name, port }) => [name, port])).toEqual([['db', 5432]]);
    expect(environment).toEqual({
      DATABASE_URL: ['postgres://app:', { variable: 'DB_PASSWORD', fallback: '' }, '@db:5432/shop'],
      EMPTY: [],
    });
    expect(rows.at(-1)).toEqual({
      item: 'service second',
      applied: false,
      why: 'its port 5432 is taken by db',
    });
  });

  it('[DE8] an untrusted file cannot fill the memory', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]
services: [*c,*c,*c,*c,*c,*c,*c,*c,*c]`;
    expect(compose(bomb).rows).toEqual([
      { item: 'compose.yaml', applied: false, why: 'it is not valid YAML' },
    ]);
  });
});
