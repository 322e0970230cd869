import { SESSION_EVENTS, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { renderBlock } from './block.ts';
import { diffText, paintDiff } from './diff.ts';
import { eventLine } from './event-line.ts';
import { type RunningCommand, runningAfter } from './running-command.ts';
import { SessionFold } from './session-fold.ts';
import { LiveBlock } from './terminal.ts';
import { scriptedLog } from './testing.ts';
import { duration, money, oneLine, tokens } from './text.ts';

const block = (log: ReturnType<typeof scriptedLog>, columns = 100) => {
  const fold = new SessionFold();
  fold.add(log.events);
  const nowMs = (fold.state?.createdAt ?? 0) + 65_000;
  return renderBlock({ state: fold.state, connection: { status: 'live' }, nowMs, columns });
};

const error = shipError('internal', 'm', 'r');
const turnId = scriptedLog().turnId;
const inTurn = { turnId, subagentId: null };
const sha = 'b'.repeat(40);
const INSTALL = { manager: 'npm', command: 'npm ci', folder: '.', source: 'package-lock.json' };
/** One of each event that is shown. */
const SHOWN = {
  'session.created': scriptedLog().created().events[0]?.data,
  'session.named': {
    title: 't',
    model: 'a/b',
    tokens: { input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: null,
  },
  'session.renamed': { title: 't' },
  'command.started': { turnId, purpose: 'setup', command: 'npm ci', limitMs: 1 },
  'session.closed': { by: 'a' },
  'model.changed': { model: 'a/b' },
  'budget.changed': { budgetUsd: 1, by: 'a' },
  'prompt.queued': scriptedLog().created().events[1]?.data,
  'prompt.withdrawn': { promptId: scriptedLog().promptId },
  'turn.started': { turnId, promptId: scriptedLog().promptId, attempt: 1 },
  'turn.stop-requested': { turnId, by: 'a' },
  'turn.retry-scheduled': { turnId, error, nextAttemptAt: 5 },
  'turn.finished': { turnId, outcome: { kind: 'completed' } },
  'stage.finished': { stage: 'clone', durationMs: 1, error: null },
  'setup.reused': { madeAt: 5, savedMs: 41_000 },
  'setup.missed': { reason: 'stale' },
  'egress.refused': { turnId, host: 'npm.corp.test', port: 443, rule: 'not-listed' },
  'setup.proved': {
    turnId,
    sha,
    setup: { command: 'bash .ship/setup.sh', exitCode: 0, durationMs: 1, link: null },
    verify: null,
  },
  'environment.planned': { install: [INSTALL], verify: null, toolchains: [], notes: [] },
  'install.started': { ...INSTALL, partId: 'p', step: 1, of: 1 },
  'install.finished': {
    ...INSTALL,
    partId: 'p',
    step: 1,
    of: 1,
    durationMs: 3,
    exitCode: 1,
    reason: 'no luck',
    link: null,
  },
  'sandbox.failed': { error, nextAttemptAt: null },
  'sandbox.frozen': { sandboxId: 's', byPerson: true },
  'sandbox.asleep': { sandboxId: 's' },
  'sandbox.resumed': { sandboxId: 's', processes: 'lost' },
  'sandbox.lost': { sandboxId: 's', reason: 'r' },
  'sandbox.destroyed': { sandboxId: 's', reason: 'idle' },
  'text.finished': {
    ...inTurn,
    partId: 'p',
    kind: 'text',
    text: 't',
    isPartial: false,
    link: null,
  },
  'tool.finished': {
    ...inTurn,
    partId: 'p',
    tool: 'bash',
    title: 't',
    status: 'failed',
    output: '',
    outputBytes: 0,
    link: null,
    exitCode: 1,
    durationMs: 3,
    edits: [],
    diff: '',
    callHash: 'c',
    resultHash: 'r',
  },
  'todos.changed': { turnId, todos: [] },
  'question.asked': { ...inTurn, requestId: 'r', callId: null, questions: [] },
  'question.answered': { requestId: 'r', answers: null, by: 'a' },
  'permission.asked': { ...inTurn, requestId: 'r', callId: null, permission: 'bash', patterns: [] },
  'permission.answered': { requestId: 'r', reply: 'once', message: null, by: 'a' },
  'plan.proposed': { turnId, planId: 'p', text: 't' },
  'plan.decided': { planId: 'p', decision: 'approve', by: 'a' },
  'subagent.started': { turnId, subagentId: 's', title: 't' },
  'conversation.compacted': { turnId, partId: 'p' },
  'provider.retrying': {
    turnId,
    attempt: 1,
    nextAttemptAt: 1,
    reason: { kind: 'rate-limited', message: 'Too Many Requests' },
  },
  'recording.limited': {
    turnId,
    scope: 'turn',
    limit: 'events',
    isFinal: true,
    cut: { events: 1, bytes: 0, artifacts: 0, artifactBytes: 0 },
  },
  'verification.finished': {
    turnId,
    phase: 'after',
    command: 'npm test',
    source: 'package.json',
    verdict: 'failed',
    exitCode: 1,
    durationMs: 3,
    counts: { passed: 3, failed: 2, skipped: 0 },
    failing: ['a', 'b'],
    link: null,
    output: '',
    outputBytes: 0,
  },
  'confidence.computed': { turnId, score: 40, parts: [] },
  'confidence.withheld': { turnId, reason: 'No test command is known.' },
  'new-tests.checked': {
    turnId,
    files: ['a.test.ts'],
    names: [],
    withoutChange: 'fail',
    failingWithoutChange: [],
  },
  'branch.made': { branch: 'b', base: 'm', baseSha: null },
  'branch.renamed': { branch: 'b' },
  'work.restored': { from: 'branch', sha },
  'commit.made': {
    sha,
    parentSha: null,
    message: 'm',
    turnId,
    additions: 1,
    deletions: 1,
    changedFiles: 1,
    skipped: [],
  },
  'base.merged': { baseSha: sha, sha },
  'branch.moved-outside': { branch: 'b', sha: null },
  'branch.deleted': { branch: 'b', reason: 'merged' },
  'files.skipped': { turnId, files: [{ path: 'f', reason: 'too-large' }] },
  'checkout.noted': { submodules: [{ path: 's', reason: 'r' }], lfsFiles: 1 },
  'pull-request.opened': { number: 1, url: 'u', title: 't', draft: true, state: 'open' },
  'pull-request.state-changed': { number: 1, state: 'merged', draft: false },
  'git.conflicted': { with: 'base', ref: 'r', sha, files: ['f'] },
  'git.conflict-resolved': { with: 'base' },
};

const retry = (reason?: object) =>
  eventLine({
    seq: 1,
    at: 1,
    type: 'provider.retrying',
    version: 1,
    data: { turnId, attempt: 2, nextAttemptAt: 1, reason },
  });

describe('progress', () => {
  it('[RN3] the block shows the agent’s action, its to-dos and the cost', () => {
    const log = scriptedLog().created();
    expect(block(log)[0]).toMatch(/starting the sandbox {2}1 min 5 s$/);
    log.started();
    log.add('agent.prompted', {
      turnId: log.turnId,
      attempt: 1,
      messageId: 'm',
      mode: 'build',
      kind: 'prompt',
      maxSteps: 20,
    });
    const part = { turnId: log.turnId, subagentId: null, partId: 'p1' };
    log.add('tool.started', { ...part, tool: 'bash', title: 'npm test', input: '{}' });
    log.add('todos.changed', {
      turnId: log.turnId,
      todos: [
        { content: 'Look', status: 'completed', priority: 'high' },
        { content: 'Fix', status: 'in-progress', priority: 'high' },
      ],
    });
    const tokensUsed = { input: 1200, output: 300, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    log.add('step.finished', { ...part, reason: 'tool', tokens: tokensUsed, costUsd: 0.0123 });
    const lines = block(log);
    expect(lines[0]).toContain('bash npm test');
    expect(lines[0]).toContain('step 1/20');
    expect(lines[0]).toContain('1.2k in 300 out  $0.0123');
    expect(lines.slice(1)).toEqual(['✓ Look', '▸ Fix']);
    for (const line of block(log, 40)) expect(line.length).toBeLessThan(40);
  });

  it('[EY7] the block shows a running command of the repository and its duration', () => {
    const log = scriptedLog().created().started();
    const runningOf = () => log.events.reduce<RunningCommand | undefined>(runningAfter, undefined);
    const drawn = () => {
      const fold = new SessionFold();
      fold.add(log.events);
      const nowMs = (log.events.at(-1)?.at ?? 0) + 12_000;
      const view = { state: fold.state, connection: undefined, running: runningOf() };
      return renderBlock({ ...view, nowMs, columns: 100 })[0];
    };
    const command = { turnId: log.turnId, command: 'npm test', limitMs: 60_000 };
    log.add('command.started', { ...command, purpose: 'verify-after' });
    expect(drawn()).toContain('testing the work: npm test (12');
    log.finished({ kind: 'completed' });
    expect(runningOf()).toBeUndefined();
    log.add('command.started', { ...command, turnId: null, purpose: 'setup' });
    expect(runningOf()?.text).toBe('setting up: npm test');
    log.add('stage.finished', { stage: 'setup', durationMs: 5, error: null });
    expect(runningOf()).toBeUndefined();
    log.add('command.started', { ...command, purpose: 'setup-proof' });
    expect(runningOf()?.text).toBe('testing the setup in a clean sandbox: npm test');
    const setup = { command: 'npm test', exitCode: 0, durationMs: 5, link: null };
    log.add('setup.proved', { turnId: log.turnId, sha: 'a'.repeat(40), setup, verify: null });
    expect(runningOf()).toBeUndefined();
  });

  it('[RN3] a lost connection is shown', () => {
    const connection = { status: 'waiting', attempt: 2, retryAt: 5_000 } as const;
    const lines = renderBlock({ state: undefined, connection, nowMs: 1_000, columns: 80 });
    expect(lines[0]).toContain('connection lost, retrying in 4.0 s');
  });

  it('[RN3] in a terminal the block is redrawn in place and erased at the end', () => {
    const screen = terminal();
    const live = new LiveBlock(screen);
    live.update(['one', 'two']);
    live.print('kept');
    live.update(['three']);
    live.print('kept too');
    expect(screen.lines()).toEqual(['kept', 'kept too', 'three']);
    live.close();
    expect(screen.lines()).toEqual(['kept', 'kept too']);
    expect(screen.raw().endsWith('\u001b[?25h')).toBe(true);
  });

  it.each(Object.entries(SHOWN))('[RN4] %s is shown in one line', (type, data) => {
    const { version } = SESSION_EVENTS[type as keyof typeof SESSION_EVENTS];
    const line = eventLine({ seq: 1, at: 1, type, version, data });
    expect(line).toMatch(/^\S/);
    // Only the event's name would mean that the sample does not match the schema.
    expect(line).not.toBe(type);
  });

  it('[RN9] a commit says which files it left out, and why', () => {
    const skipped = [
      { path: 'new.psd', reason: 'lfs-content' },
      { path: 'big.bin', reason: 'too-large' },
    ];
    const data = { ...SHOWN['commit.made'], skipped };
    const line = eventLine({ seq: 1, at: 1, type: 'commit.made', version: 1, data });
    expect(line).toContain(
      '; left out: new.psd (belongs in Git LFS, which the sandbox does not have), big.bin (larger than the forge accepts)',
    );
  });

  it('[RN4] a tool without a title is shown by its name; a to-do tool only by the finished to-dos', () => {
    const { version } = SESSION_EVENTS['tool.finished'];
    const used = (tool: string) =>
      eventLine({
        seq: 1,
        at: 1,
        type: 'tool.finished',
        version,
        data: { ...SHOWN['tool.finished'], tool, title: '', status: 'completed', exitCode: null },
      });
    expect(used('glob')).toMatch(/^glob \(/);
    expect(used('todowrite')).toBeUndefined();
  });

  it('[RN4] a retry of the provider says why, if that is known', () => {
    expect(retry({ kind: 'rate-limited', message: 'Too\u001b[2J Many Requests' })).toBe(
      'the model provider is rate limiting requests: “Too [2J Many Requests”; retrying (attempt 2)',
    );
    expect(retry({ kind: 'timed-out', message: '' })).toBe(
      'the model provider did not answer in time; retrying (attempt 2)',
    );
    expect(retry()).toBe('the call to the model provider failed; retrying (attempt 2)');
  });

  it('[RN4] an unknown event is shown by its name, internal events are not shown', () => {
    const event = { seq: 1, at: 1, type: 'x.y', version: 1, data: {} };
    expect(eventLine(event)).toBe('x.y');
    expect(
      eventLine({ ...event, type: 'sandbox.requested', data: { attempt: 1 } }),
    ).toBeUndefined();
  });

  it('[RN4] untrusted text cannot move the cursor or hide lines', () => {
    const evil = 'a\u001b[2Jb\rc\nd\u009b1A';
    expect(oneLine(evil, 50)).toBe('a [2Jb c d 1A');
    const { events } = scriptedLog().created().add('session.renamed', { title: evil });
    // oxlint-disable-next-line no-control-regex -- that is what is looked for
    expect(eventLine(events[2] as never)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(paintDiff('+\u001b]0;title\u0007')).not.toContain('\u001b]');
  });

  it('numbers are short', () => {
    expect([12, 1_234, 61_000, 3_700_000].map(duration)).toEqual([
      '12 ms',
      '1.2 s',
      '1 min 1 s',
      '1 h 1 min',
    ]);
    expect([null, 0, 0.01234, 12.3456].map(money)).toEqual([
      'cost unknown',
      '$0',
      '$0.0123',
      '$12.35',
    ]);
    expect([5, 1_500, 2_500_000].map(tokens)).toEqual(['5', '1.5k', '2.5M']);
  });

  it('a diff has git’s format', () => {
    const hunk = {
      oldStart: 1,
      oldLines: 1,
      newStart: 1,
      newLines: 1,
      section: 'f()',
      lines: ['-a', '+b'],
    };
    const file = {
      path: 'b.js',
      previousPath: 'a.js',
      status: 'renamed',
      additions: 1,
      deletions: 1,
      hunks: [hunk],
      omitted: null,
    } as const;
    const rest = {
      source: 'forge',
      fromSha: null,
      toSha: null,
      additions: 1,
      deletions: 1,
    } as const;
    expect(diffText({ ...rest, files: [file], truncated: true } as never)).toBe(
      'diff --git a/a.js b/b.js\nrenamed from a.js\n--- a/a.js\n+++ b/b.js\n@@ -1,1 +1,1 @@ f()\n-a\n+b\nMore files changed than are shown here.\n',
    );
  });
});

/** The terminal features that the block uses: lines, cursor up, clear. */
function terminal() {
  let raw = '';
  return {
    write: (text: string) => (raw += text),
    raw: () => raw,
    lines() {
      const lines: string[] = [''];
      // oxlint-disable-next-line no-control-regex -- a terminal's own language
      for (const token of raw.match(/\u001b\[[?\d]*[a-zA-Z]|\n|[^\u001b\n]+/g) ?? []) {
        if (token === '\n') lines.push('');
        else if (token === '\u001b[1A') lines.pop();
        else if (token === '\u001b[2K') lines[lines.length - 1] = '';
        else if (!token.startsWith('\u001b')) lines[lines.length - 1] += token;
      }
      return lines.filter((line) => line !== '');
    },
  };
}
