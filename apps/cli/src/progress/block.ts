import { summarize } from '@ship/core';
import type { SessionState } from '@ship/protocol';
import type { WatchStatus } from '@ship/protocol/client';
import { duration, money, oneLine, tokens } from './text.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

export interface BlockView {
  state: SessionState | undefined;
  connection: WatchStatus | undefined;
  nowMs: number;
  columns: number;
}

/** What is going on now, for the bottom of a terminal: one line, and below it what the agent means to do. */
export function renderBlock({ state, connection, nowMs, columns }: BlockView): string[] {
  const frame = FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? '';
  const width = Math.max(20, columns) - 1;
  const trouble = connectionTrouble(connection, nowMs);
  if (state === undefined) return [oneLine(`${frame} ${trouble ?? 'connecting …'}`, width)];
  return [oneLine([frame, trouble ?? actionOf(state), ...figures(state, nowMs)].join('  '), width)];
}

function connectionTrouble(connection: WatchStatus | undefined, nowMs: number): string | undefined {
  if (connection?.status === 'waiting')
    return `connection lost, next try in ${duration(Math.max(0, connection.retryAt - nowMs))}`;
  return connection?.status === 'connecting' && connection.attempt > 1
    ? 'reconnecting …'
    : undefined;
}

function actionOf(state: SessionState): string {
  const { status, statusDetail } = summarize(state, 0);
  switch (status) {
    case 'starting':
      return state.sandbox.status === 'retrying'
        ? `waiting for a sandbox: ${statusDetail ?? ''}`
        : 'starting the sandbox';
    case 'queued':
      return 'waiting for its turn';
    case 'working':
      return 'working';
    case 'retrying':
      return `trying again soon: ${statusDetail ?? ''}`;
    case 'stopping':
      return 'stopping';
    case 'failed':
      return `failed: ${statusDetail ?? ''}`;
    case 'idle':
    case 'closed':
      return status;
  }
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
