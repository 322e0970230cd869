import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DurableEvent, EnvironmentCheck, RepositoryPlan } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';

const MINUTE_MS = 60_000;

const RULES = [
  {
    name: 'work',
    when: { prompt: { regex: '^Write a note' } },
    steps: [
      {
        calls: [{ tool: 'write', input: { filePath: '{{folder}}/NOTE.md', content: 'A note.\n' } }],
      },
      { say: 'The note is there.' },
    ],
  },
];

const ofType = <Type extends DurableEvent['type']>(events: readonly DurableEvent[], type: Type) =>
  events.flatMap((event) =>
    event.type === type ? [event.data as (DurableEvent & { type: Type })['data']] : [],
  );

const commitAll = async (folder: string) => {
  await git(folder, 'init', '-q', '-b', 'main');
  await git(folder, 'add', '-A');
  await git(folder, 'commit', '-q', '-m', 'first');
};
/** A package `seven` whose install script takes a while, as an archive. */
const withArchive = async (folder: string, installScript: string) => {
  const source = join(folder, 'seven');
  mkdirSync(source, { recursive: true });
  const manifest = { name: 'seven', version: '1.0.0', scripts: { install: installScript } };
  writeFileSync(join(source, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(source, 'index.js'), 'module.exports = 7;\n');
  const run = (...args: string[]) =>
    execFileSync('npm', [...args, '--offline', '--silent'], { cwd: folder, stdio: 'pipe' });
  run('pack', './seven');
  run('install', '--package-lock-only', '--ignore-scripts', './seven-1.0.0.tgz');
  await git(folder, 'init', '-q', '-b', 'main');
};

/** With the real control plane, sandbox, agent and forge. The dependency is an archive in the repository: no registry is called. */
describe('install of dependencies', { timeout: 6 * MINUTE_MS }, () => {
  let world: WholeWorld;
  beforeAll(async () => {
    world = await WholeWorld.open(RULES, 0, { seesRequests: true });
  }, 3 * MINUTE_MS);
  afterAll(() => world.close(), MINUTE_MS);

  const newRepository = async (name: string, files: Record<string, string>) => {
    const folder = join(world.folder, name);
    await write(folder, files);
    return folder;
  };
  it('[EN7] the dependencies of a repository without settings are installed before its tests run, and the result is kept', async () => {
    const repository = await newRepository('seven-user', {
      'package.json': JSON.stringify({ name: 'user', scripts: { test: 'node --test' } }),
      'seven.test.js': `require('node:test')('seven', () => require('node:assert').equal(require('seven'), 7));\n`,
      '.gitignore': 'node_modules\nseven/\n',
    });
    await withArchive(repository, 'echo compiling seven; sleep 5');
    await commitAll(repository);
    const sessionId = await world.newSession(repository, 'Write a note');
    const state = await world.rest(sessionId);
    const events = await world.events(sessionId);
    expect(ofType(events, 'environment.planned')).toMatchObject([
      {
        install: [{ manager: 'npm', source: 'package-lock.json' }],
        verify: { command: 'npm test' },
      },
    ]);
    const [installed] = ofType(events, 'install.finished');
    expect(installed).toMatchObject({ step: 1, of: 1, exitCode: 0, reason: null });
    expect(state.verification.before).toMatchObject({ verdict: 'passed' });
    expect(state.verification.after).toMatchObject({ verdict: 'passed' });
    const order = events.map(({ type }) => type);
    expect(order.indexOf('install.finished')).toBeLessThan(order.indexOf('agent.prompted'));
    const text = await (await world.call('GET', installed?.link ?? '')).text();
    expect(text).toMatch(/^\$ npm ci .*\n[^]*added 1 package/);
    const kept = async () => (await world.call('GET', '/api/setups')).json();
    await vi.waitFor(
      async () =>
        expect(await kept()).toMatchObject({
          setups: [{ command: expect.stringMatching(/^npm ci/) }],
        }),
      { timeout: MINUTE_MS, interval: 300 },
    );
    const second = await world.rest(await world.newSession(repository, 'Write a note'));
    const later = await world.events(second.sessionId);
    expect(ofType(later, 'setup.reused')).toHaveLength(1);
    expect(ofType(later, 'install.started')).toEqual([]);
    expect(second.verification.before).toMatchObject({ verdict: 'passed' });
  });

  it('[EN6] the plan is available without running anything, and settings change it', async () => {
    const repository = await newRepository('planned', {
      'package.json': JSON.stringify({
        scripts: { test: 'node --test' },
        devDependencies: { a: '1' },
        packageManager: 'pnpm@9.4.0',
      }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      '.nvmrc': '20\n',
    });
    await commitAll(repository);
    const plan = async () => {
      const path = `/api/repositories/plan?location=${encodeURIComponent(repository)}`;
      return RepositoryPlan.parse(await (await world.call('GET', path)).json());
    };
    expect(await plan()).toMatchObject({
      base: 'main',
      setup: null,
      isInstallOn: true,
      lines: ['found pnpm-lock.yaml → pnpm install --frozen-lockfile → pnpm test'],
      plan: { toolchains: [{ tool: 'Node.js', wanted: '20', status: 'unknown' }] },
    });
    await world.call('POST', '/api/repositories', { location: repository, installScripts: false });
    expect((await plan()).lines[0]).toContain('--ignore-scripts');
    await world.call('PATCH', '/api/settings', { install: { dependencies: false } });
    expect(await plan()).toMatchObject({ isInstallOn: false, plan: { install: [] } });
    await world.call('PATCH', '/api/settings', { install: { dependencies: true } });
  });

  const checked = async (repository: string): Promise<EnvironmentCheck> => {
    const made = await world.call('POST', '/api/environment-checks', { repository });
    const { checkId } = EnvironmentCheck.parse(await made.json());
    return vi.waitFor(
      async () => {
        const answer = await world.call('GET', `/api/environment-checks/${checkId}`);
        const check = EnvironmentCheck.parse(await answer.json());
        expect(check.status).not.toBe('running');
        return check;
      },
      { timeout: 2 * MINUTE_MS, interval: 300 },
    );
  };

  it('[EN9] a check runs the plan in a sandbox without an agent, and says what failed', async () => {
    const repository = await newRepository('checked', {
      'package.json': JSON.stringify({ name: 'user', scripts: { test: 'node --test' } }),
      'seven.test.js': `require('node:test')('seven', () => require('node:assert').equal(require('seven'), 7));\n`,
      '.gitignore': 'node_modules\nseven/\n',
    });
    await withArchive(repository, 'true');
    await commitAll(repository);
    const good = await checked(repository);
    expect(good).toMatchObject({ status: 'passed', error: null });
    expect(good.steps.map(({ name, status }) => [name, status])).toEqual([
      ['sandbox', 'ok'],
      ['clone', 'ok'],
      ['install (npm)', 'ok'],
      ['verify', 'ok'],
    ]);
    await git(repository, 'rm', '-q', 'seven-1.0.0.tgz');
    await git(repository, 'commit', '-q', '-m', 'without the archive');
    const bad = await checked(repository);
    expect(bad.status).toBe('failed');
    expect(bad.steps.slice(2)).toMatchObject([
      { name: 'install (npm)', status: 'failed', detail: expect.stringContaining('exit code') },
      { name: 'verify', status: 'unavailable' },
    ]);
    const { sessions } = (await (await world.call('GET', '/api/sessions')).json()) as {
      sessions: { repository: string }[];
    };
    expect(sessions.filter((one) => one.repository === repository)).toEqual([]);
  });

  it('[EN8] a failed install is reported to people, agent and pull request, and the work continues', async () => {
    const repository = await newRepository('broken', {
      'package.json': JSON.stringify({
        scripts: { test: 'node --test' },
        dependencies: { seven: 'file:./gone.tgz' },
      }),
      'seven.test.js': `require('seven');\n`,
      '.gitignore': 'node_modules\n',
    });
    await commitAll(repository);
    const sessionId = await world.newSession(repository, 'Write a note');
    const state = await world.rest(sessionId);
    expect(state.activity).toEqual({ status: 'idle' });
    const [installed] = ofType(await world.events(sessionId), 'install.finished');
    expect(installed).toMatchObject({
      manager: 'npm',
      reason: expect.stringContaining('gone.tgz'),
    });
    expect(installed?.exitCode).not.toBe(0);
    expect(state.environment).toMatchObject({ install: 'failed' });
    expect(state.verification.before).toMatchObject({ verdict: 'unavailable' });
    expect(state.verification.after).toMatchObject({
      verdict: 'unavailable',
      reason: expect.stringContaining('dependencies could not be installed: npm install'),
    });
    expect(world.parts.newestRequest()).toContain('Note from Ship about this sandbox');
    const body = await world.pullRequestBody(state);
    expect(body).toContain('**not verified**: dependencies could not be installed');
    expect(body).toContain('gone.tgz');
  });

  it('[EN8] a missing toolchain is reported before the agent starts and does not count as a failing test', async () => {
    const repository = await newRepository('gems', {
      Gemfile: "source 'https://rubygems.org'\nruby '3.2.0'\ngem 'rspec'\n",
      'spec/one_spec.rb': 'describe("one") { it("is") {} }\n',
    });
    await commitAll(repository);
    const sessionId = await world.newSession(repository, 'Write a note');
    const state = await world.rest(sessionId);
    const events = await world.events(sessionId);
    expect(ofType(events, 'environment.planned')[0]?.toolchains).toMatchObject([
      { tool: 'Ruby', wanted: '3.2.0', status: 'missing', advice: expect.stringContaining('Ruby') },
    ]);
    const order = events.map(({ type }) => type);
    expect(order.indexOf('environment.planned')).toBeLessThan(order.indexOf('agent.prompted'));
    expect(state.verification.after).toMatchObject({
      verdict: 'unavailable',
      reason: 'Ruby is not in the sandbox',
    });
  });
});
