import { summarize } from '@ship/core';
import type { SessionState } from '@ship/protocol';
import type { WatchStatus } from '@ship/protocol/client';
import { type RunningCommand, describeRunning } from './running-command.ts';
import { duration, money, oneLine, tokens } from './text.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

const MAX_TODOS = 6;
const MARKS = { completed: '✓', 'in-progress': '▸', pending: '·', cancelled: '×' } as const;

export interface BlockView {
  state: SessionState | undefined;
  connection: WatchStatus | undefined;
  /** The repository's command that runs now. */
  running?: RunningCommand | undefined;
  nowMs: number;
  columns: number;
}

/** The live status at the bottom of a terminal: one line, followed by the agent's to-dos. */
export function renderBlock({ state, connection, running, nowMs, columns }: BlockView): string[] {
  const frame = FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? '';
  const width = Math.max(20, columns) - 1;
  const trouble = connectionTrouble(connection, nowMs);
  if (state === undefined) return [oneLine(`${frame} ${trouble ?? 'connecting …'}`, width)];
  const action = running === undefined ? actionOf(state) : describeRunning(running, nowMs);
  const status = [frame, trouble ?? action, ...figures(state, nowMs)].join('  ');
  return [status, ...todoLines(state)].map((line) => oneLine(line, width));
}

/** The to-dos around the current one, as many as fit. */
function todoLines({ agent, activity }: SessionState): string[] {
  if (activity.status !== 'working') return [];
  const left = agent.todos.filter(({ status }) => status !== 'cancelled');
  const first = Math.max(0, left.findIndex(({ status }) => status !== 'completed') - 1);
  return left
    .slice(first, first + MAX_TODOS)
    .map(({ status, content }) => `  ${MARKS[status]} ${content}`);
}

function connectionTrouble(connection: WatchStatus | undefined, nowMs: number): string | undefined {
  if (connection?.status === 'waiting')
    return `connection lost, retrying in ${duration(Math.max(0, connection.retryAt - nowMs))}`;
  return connection?.status === 'connecting' && connection.attempt > 1
    ? 'reconnecting …'
    : undefined;
}

function actionOf(state: SessionState): string {
  const { status, statusDetail, needsYou } = summarize(state, 0);
  switch (status) {
    case 'starting':
      return state.sandbox.status === 'retrying'
        ? `waiting for a sandbox: ${statusDetail ?? ''}`
        : 'starting the sandbox';
    case 'queued':
      return 'queued';
    case 'working':
      return workOf(state);
    case 'waiting':
      return `waiting for you: ${statusDetail ?? needsYou ?? ''}`;
    case 'retrying':
      return `retrying soon: ${statusDetail ?? ''}`;
    case 'stopping':
      return 'stopping';
    case 'failed':
      return `failed: ${statusDetail ?? ''}`;
    case 'idle':
    case 'closed':
      return status;
  }
}

/** The running tool, or the current preparation stage. */
function workOf({ agent, stages }: SessionState): string {
  const tool = agent.turn?.isOver === false ? agent.turn.runningTools.at(-1) : undefined;
  if (tool !== undefined) return `${tool.tool} ${tool.title}`;
  if (agent.turn?.isOver === false) return 'thinking';
  const isPrepared = stages.some(({ stage, error }) => stage === 'agent' && error === null);
  return isPrepared ? 'working' : 'preparing the repository and the agent';
}

function figures(state: SessionState, nowMs: number): string[] {
  const { step, maxSteps, costUsd, inputTokens, outputTokens } = summarize(state, 0);
  return [
    ...(step > 0 ? [`step ${step}/${maxSteps}`] : []),
    ...(inputTokens + outputTokens > 0
      ? [`${tokens(inputTokens)} in ${tokens(outputTokens)} out`, money(costUsd)]
      : []),
    duration(nowMs - state.createdAt),
  ];
}
