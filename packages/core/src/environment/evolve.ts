import type { DurableEvent, EnvironmentState, ToolchainNeed } from '@ship/protocol';
import { missingTools } from './plan.ts';

/** Folds one event into the state of the agent's environment. Undefined in logs without a plan. */
export function evolveEnvironment(
  state: EnvironmentState | undefined,
  event: DurableEvent,
): EnvironmentState | undefined {
  switch (event.type) {
    case 'environment.planned': {
      const missing = missingTools(event.data).map(({ tool }) => tool);
      const { ports, toolchains } = event.data;
      const outdated = toolchains.filter(({ status }) => status === 'other-version').map(mismatch);
      const known = { missing, outdated, install: 'none', reason: null } as const;
      return ports === undefined ? known : { ...known, ports };
    }
    case 'install.finished': {
      const { reason, command } = event.data;
      if (reason === null) return state?.install === 'none' ? { ...state, install: 'done' } : state;
      return {
        ...state,
        missing: state?.missing ?? [],
        install: 'failed',
        reason: `${command}: ${reason}`,
      };
    }
    case 'setup.reused':
      return state && { ...state, install: 'done' };
    default:
      return state;
  }
}

const mismatch = ({ tool, wanted, source, found }: ToolchainNeed): string =>
  `${source} asks for ${tool} ${wanted ?? ''}, and the sandbox has ${found ?? 'another version'}`;

/** The reason why test results in this sandbox say nothing about the work; null when they do. */
export function testBlocker(state: EnvironmentState | undefined): string | null {
  if (state === undefined) return null;
  if (state.install === 'failed')
    return `dependencies could not be installed: ${state.reason ?? 'unknown'}`;
  if (state.missing.length > 0) return `${state.missing.join(', ')} is not in the sandbox`;
  if (state.outdated !== undefined && state.outdated.length > 0) return state.outdated.join('; ');
  return null;
}

/** A note to the agent about its sandbox, for the start of its work; null when there is nothing to report. */
export function environmentNote(state: EnvironmentState | undefined): string | null {
  const reason = testBlocker(state);
  if (reason === null) return null;
  return `Note from Ship about this sandbox: ${reason}. Tests may not run because of that; it is not caused by the task. If the task needs them, try to install what is missing, and say in your summary what could not be run.`;
}
