/** Who is killed, and how: always by process id, or by whoever owns the sandbox service. */
import type { SessionId } from '@ship/protocol';
import { until } from '../../launch.ts';
import { agentPid, controlPlanePid, sandboxPid } from '../processes.ts';
import type { ShipHost } from '../ship-host.ts';

/**
 * `sandbox`: its processes; its files stay. `sandbox and files`: nothing of it is left. `host`: the sandbox server and the
 * forge, which are in its process, and with them the control plane, which ends with it.
 */
export const VICTIMS = ['agent', 'sandbox', 'sandbox and files', 'control plane', 'host'] as const;
export type Victim = (typeof VICTIMS)[number];

/** How long after a call's last byte at the model it may still count as cut off: to be read, or to be written down. */
export const SETTLING_MS: Readonly<Record<Victim, number>> = {
  agent: 500,
  sandbox: 500,
  'sandbox and files': 500,
  'control plane': 1_500,
  host: 1_500,
};

const FIND_MS = 60_000;

/** Kills it once it is there, and tells when. What nobody starts again by itself is started again here. */
export async function strike(
  host: ShipHost,
  sessionId: SessionId,
  victim: Victim,
  downMs: number,
): Promise<number> {
  switch (victim) {
    case 'agent':
      return killSurely('the agent', async () =>
        agentPid(host.data, await sandboxOf(host, sessionId)),
      );
    case 'sandbox':
      return killSurely('the sandbox', async () =>
        sandboxPid(host.data, await sandboxOf(host, sessionId)),
      );
    case 'control plane':
      return killSurely('the control plane', () => controlPlanePid(host.data));
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

async function killSurely(
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
        // It ended by itself a moment ago: the next one is taken.
        return undefined;
      }
    },
    FIND_MS,
  );
}
