import { describe, expect, it } from 'vitest';
import { readDevcontainer } from './devcontainer.ts';

const scope = {
  folder: '/home/user/repository',
  repositoryName: 'shop',
  secretNames: ['NPM_TOKEN'],
  devcontainerId: 'abc',
};
const path = '.devcontainer/devcontainer.json';
const read = (file: object | string, files: Record<string, string> = {}) =>
  readDevcontainer({
    path,
    text: typeof file === 'string' ? file : JSON.stringify(file),
    scope,
    files,
  });
const why = (source: ReturnType<typeof read>, item: string) =>
  source.rows.find((row) => row.item === item);

describe('devcontainer.json', () => {
  it('[DE1] commands come in the order of the lifecycle, not of the file', () => {
    const { steps, rows } = read(`{
      // Comments and a trailing comma are valid.
      "postStartCommand": ["npm", "run", "dev server"],
      "postCreateCommand": { "web": "npm ci", "api": ["pip", "install", "-r", "it's.txt"] },
      "updateContentCommand": "git lfs pull",
      "onCreateCommand": "echo \${containerWorkspaceFolder} \${localWorkspaceFolderBasename}",
      "initializeCommand": "docker login",
    }`);
    expect(steps.map(({ phase, item }) => `${phase} ${item}`)).toEqual([
      'create onCreateCommand',
      'update updateContentCommand',
      'postCreate postCreateCommand',
      'start postStartCommand',
    ]);
    expect(steps[0]?.commands).toEqual([{ name: null, line: 'echo /home/user/repository shop' }]);
    expect(steps[2]?.commands).toEqual([
      { name: 'web', line: 'npm ci' },
      { name: 'api', line: `'pip' 'install' '-r' 'it'\\''s.txt'` },
    ]);
    expect(steps[3]?.commands[0]?.line).toBe(`'npm' 'run' 'dev server'`);
    expect(rows).toContainEqual({
      item: 'postCreateCommand',
      applied: true,
      why: '2 commands in parallel, in the setup',
    });
    expect(rows.find(({ item }) => item === 'initializeCommand')?.applied).toBe(false);
  });

  it('[DE1] waitFor names the last command that the agent waits for', () => {
    const file = { onCreateCommand: 'a', postCreateCommand: 'b', waitFor: 'onCreateCommand' };
    const source = read(file);
    expect(source.waitFor).toBe('create');
    expect(why(source, 'postCreateCommand')?.why).toMatch(/background/);
    expect(read({ postCreateCommand: 'b' }).waitFor).toBe('postCreate');
    const odd = read({ postCreateCommand: 'b', waitFor: 'initializeCommand' });
    expect([odd.waitFor, why(odd, 'waitFor')?.applied]).toEqual(['postCreate', false]);
  });

  it('[DE1] warns before a command that will probably fail', () => {
    const source = read({
      postCreateCommand: 'docker compose up -d && chown -R vscode /workspaces/shop/node_modules',
    });
    expect(why(source, 'postCreateCommand: docker')?.applied).toBe(false);
    expect(why(source, 'postCreateCommand: /workspace')?.applied).toBe(false);
  });

  it('[DE2] variables: local ones come from the secrets of the repository only', () => {
    const source = read({
      containerEnv: {
        NODE_ENV: 'development',
        CACHE: '${containerWorkspaceFolder}/.cache/${devcontainerId}',
        TOKEN: 'Bearer ${localEnv:NPM_TOKEN}',
        HOME_OF_HOST: '${localEnv:HOME}',
        LEVEL: '${localEnv:LEVEL:debug}',
        'NOT A NAME': 'x',
      },
      remoteEnv: { PATH: '${containerEnv:PATH}:/opt/x', NODE_ENV: 'test', GONE: null, N: 3 },
    });
    expect(source.environment).toEqual({
      NODE_ENV: ['test'],
      CACHE: ['/home/user/repository/.cache/abc'],
      TOKEN: ['Bearer ', { variable: 'NPM_TOKEN', fallback: '' }],
      LEVEL: ['debug'],
      PATH: [{ variable: 'PATH', fallback: '' }, ':/opt/x'],
      GONE: null,
      N: ['3'],
    });
    expect(why(source, 'containerEnv HOME_OF_HOST')).toMatchObject({
      applied: false,
      why: 'add HOME to the repository’s secrets',
    });
    expect(why(source, 'containerEnv NOT A NAME')?.applied).toBe(false);
  });

  it('[DE3] ports get their labels, also by a range', () => {
    const { ports } = read({
      forwardPorts: [3000, '5173', 'db:5432', 99999],
      portsAttributes: {
        '3000': { label: 'Web', onAutoForward: 'openPreview' },
        '5000-6000': { label: 'Tools' },
        '8080': { label: 'API' },
      },
    });
    expect(ports).toEqual([
      { port: 3000, label: 'Web', opensPreview: true },
      { port: 5173, label: 'Tools', opensPreview: false },
      { port: 5432, label: 'Tools', opensPreview: false },
      { port: 8080, label: 'API', opensPreview: false },
    ]);
  });

  it.each([
    ['/workspaces/shop', null],
    ['/workspaces/${localWorkspaceFolderBasename}/packages/api', 'packages/api'],
    ['/workspaces/monorepo/web', 'web'],
    ['/workspace', null],
    ['/workspace/backend/', 'backend'],
    ['/srv/elsewhere', null],
    ['/workspace/../etc', null],
  ])('[DE4] workspaceFolder %s is the folder %s', (workspaceFolder, folder) => {
    expect(read({ workspaceFolder }).workingDirectory).toBe(folder);
  });

  it('[DE4] workspaceMount says where the repository is', () => {
    const source = read({
      workspaceMount: 'source=${localWorkspaceFolder},target=/src/app,type=bind',
      workspaceFolder: '/src/app/server',
    });
    expect(source.workingDirectory).toBe('server');
  });

  it('[DE5] tools come from the image, the Dockerfile and the features', () => {
    expect(
      read({ image: 'mcr.microsoft.com/devcontainers/typescript-node:1-22-bookworm' }).tools,
    ).toEqual([{ tool: 'node', version: '22', item: 'image' }]);
    expect(read({ image: 'mcr.microsoft.com/devcontainers/base:ubuntu-24.04' }).tools).toEqual([]);
    const { tools } = read(
      { build: { dockerfile: '../docker/Dev.Dockerfile', args: { VARIANT: '3.12-bullseye' } } },
      {
        'docker/Dev.Dockerfile': `# syntax=docker/dockerfile:1
ARG VARIANT=3.9
FROM node:20 AS assets
RUN apt-get update && apt-get install -y only-there
FROM python:\${VARIANT} AS base
FROM base
RUN apt-get update \\
 && apt-get install -y --no-install-recommends \\
    # a comment between the lines
    postgresql-client=15+248 libpq-dev ffmpeg \\
 && rm -rf /var/lib/apt/lists/*
`,
      },
    );
    expect(tools.map(({ tool, version }) => [tool, version])).toEqual([
      ['python', '3.12'],
      ['psql', null],
      ['ffmpeg', null],
    ]);
    const source = read({
      features: {
        'ghcr.io/devcontainers/features/node:1': { version: '20' },
        'ghcr.io/devcontainers/features/python:1.4.0': 'latest',
        'ghcr.io/devcontainers/features/docker-in-docker:2': {},
        './local-feature': {},
      },
    });
    expect(source.tools.map(({ tool, version }) => [tool, version])).toEqual([
      ['node', '20'],
      ['python', null],
    ]);
    expect(why(source, 'feature docker-in-docker')?.why).toMatch(/microVM/);
    expect(why(source, 'feature local-feature')?.applied).toBe(false);
  });

  it('[DE6] lists ignored fields, requested secrets and host requirements', () => {
    const source = read({
      hostRequirements: { cpus: 4, memory: '8gb', storage: '32gb', gpu: 'optional' },
      secrets: { API_KEY: { description: 'for the sandbox of the bank' } },
      customizations: { vscode: { extensions: ['a.b'], settings: {} } },
      privileged: true,
      runArgs: ['--network=host'],
      mounts: ['x'],
      remoteUser: 'node',
    });
    expect(source.limits).toEqual({ cpus: 4, memoryBytes: 2 ** 33, storageBytes: 2 ** 35 });
    expect(source.secrets).toEqual([
      { name: 'API_KEY', description: 'for the sandbox of the bank' },
    ]);
    expect(source.rows.map(({ item, applied }) => [item, applied])).toEqual(
      [
        'hostRequirements.cpus',
        'hostRequirements.memory',
        'hostRequirements.storage',
        'hostRequirements.gpu',
        'customizations.vscode.extensions',
        'customizations.vscode.settings',
        'privileged',
        'runArgs',
        'mounts',
        'remoteUser',
      ].map((item) => [item, false]),
    );
  });

  it.each(['', '[]', '{ "image": ', 'null'])('[DE6] %j is reported as unreadable', (text) => {
    expect(read(text).rows).toEqual([
      { item: path, applied: false, why: 'it is not valid JSON with comments' },
    ]);
  });
});
