/** Which component is killed, and how: by process id, or through the sandbox service's API. */
import type { SessionId } from '@ship/protocol';
import { until } from '../../launch.ts';
import { agentPid, controlPlanePid, sandboxPid } from '../processes.ts';
import type { ShipHost } from '../ship-host.ts';

/**
 * `sandbox`: its processes; its files stay. `sandbox and files`: the whole sandbox. `host`: its process with the sandbox server
 * and the forge, and the control plane, which ends with it.
 */
export const VICTIMS = ['agent', 'sandbox', 'sandbox and files', 'control plane', 'host'] as const;
export type Victim = (typeof VICTIMS)[number];

/** A call counts as aborted until this time after its last byte at the model: the gateway must still read and record it. */
export const SETTLING_MS: Readonly<Record<Victim, number>> = {
  agent: 500,
  sandbox: 500,
  'sandbox and files': 500,
  'control plane': 1_500,
  host: 1_500,
};

const FIND_MS = 60_000;

/** Kills the component once it exists, and returns the time. Restarts what does not restart automatically. */
export async function killVictim(
  host: ShipHost,
  sessionId: SessionId,
  victim: Victim,
  downMs: number,
): Promise<number> {
  switch (victim) {
    case 'agent':
      return killWhenFound('the agent', async () =>
        agentPid(host.data, await sandboxOf(host, sessionId)),
      );
    case 'sandbox':
      return killWhenFound('the sandbox', async () =>
        sandboxPid(host.data, await sandboxOf(host, sessionId)),
      );
    case 'control plane':
      return killWhenFound('the control plane', () => controlPlanePid(host.data));
    case 'sandbox and files': {
      const sandboxId = await until(
        'a sandbox',
        async () => {
          const found = await sandboxOf(host, sessionId);
          return found === '' ? undefined : found;
        },
        FIND_MS,
      );
      await host.destroySandbox(sandboxId);
      return Date.now();
    }
    case 'host': {
      await host.kill();
      const killedAtMs = Date.now();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await host.start();
      return killedAtMs;
    }
  }
}

async function sandboxOf(host: ShipHost, sessionId: SessionId): Promise<string> {
  const { sandbox } = (await host.client.session(sessionId)).state;
  return 'sandboxId' in sandbox ? sandbox.sandboxId : '';
}

async function killWhenFound(
  what: string,
  find: () => number | undefined | Promise<number | undefined>,
): Promise<number> {
  return until(
    what,
    async () => {
      const pid = await find();
      if (pid === undefined) return undefined;
      try {
        process.kill(pid, 'SIGKILL');
        return Date.now();
      } catch {
        // It has just exited: kill the next one.
        return undefined;
      }
    },
    FIND_MS,
  );
}
