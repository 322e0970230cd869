import type { SandboxRecord } from '../store/records.ts';
import { boot } from './boot.ts';
import { specOf, type LifecycleContext } from './context.ts';
import { messageOf, Refusal } from './errors.ts';

/** Pauses and keeps memory or only files; a frozen sandbox can be paused again, down to its files. */
export async function pauseSandbox(
  context: LifecycleContext,
  record: SandboxRecord,
  keeps: 'memory' | 'files',
): Promise<SandboxRecord> {
  const { phase } = record;
  const deepens = phase.state === 'paused' && phase.keeps === 'memory' && keeps === 'files';
  if (phase.state !== 'running' && !deepens) {
    throw new Refusal(409, `Sandbox ${record.id} is not running, so it cannot be paused.`);
  }
  const endAtMs = phase.state === 'running' || phase.state === 'paused' ? phase.endAtMs : 0;
  context.connections.dropConnections(record.id);
  try {
    if (keeps === 'memory') await context.backend.freeze(record.id);
    else await context.backend.stop(record.id);
  } catch (error) {
    throw new Refusal(
      503,
      `Sandbox ${record.id} could not be paused: ${messageOf(error)}`,
      'It keeps its state; try again.',
    );
  }
  // A connection may have opened before the processes stopped; it would hang forever.
  context.connections.dropConnections(record.id);
  const pausedAtMs = context.clock.nowMs();
  const paused: SandboxRecord = {
    ...record,
    phase: { state: 'paused', keeps, endAtMs, pausedAtMs },
  };
  await context.records.put(paused);
  context.events.add(record.id, 'info', keeps === 'memory' ? 'paused' : 'paused, files only');
  return paused;
}

/** Resumes a paused sandbox: from memory, or, when only its files are left (or wanted), freshly booted. */
export async function wakeSandbox(
  context: LifecycleContext,
  record: SandboxRecord,
  options: { fromFiles: boolean },
): Promise<SandboxRecord> {
  const { phase } = record;
  if (phase.state !== 'paused') throw new Refusal(409, `Sandbox ${record.id} is not paused.`);
  if (phase.keeps === 'memory' && !options.fromFiles) {
    try {
      await context.backend.thaw(record.id);
      context.events.add(record.id, 'info', 'resumed');
      return { ...record, wokeWith: 'memory' };
    } catch (error) {
      if ((await context.backend.presence(record.id)) !== 'stopped') {
        throw new Refusal(
          503,
          `Sandbox ${record.id} could not be resumed: ${messageOf(error)}`,
          'It stays paused; try again.',
        );
      }
      return bootFromFiles(context, markLost(context, record));
    }
  }
  if (phase.keeps === 'memory') await context.backend.stop(record.id);
  return bootFromFiles(context, record);
}

async function bootFromFiles(
  context: LifecycleContext,
  record: SandboxRecord,
): Promise<SandboxRecord> {
  await boot(context, record);
  context.events.add(record.id, 'info', `booted from its files (${specOf(context, record).layer})`);
  return { ...record, wokeWith: 'files' };
}

/** Records, where the owner sees it, that processes were lost. */
export function markLost(context: LifecycleContext, record: SandboxRecord): SandboxRecord {
  context.events.add(
    record.id,
    'warn',
    'its processes were lost (the machine restarted, or they were killed); its files are kept',
  );
  const { phase } = record;
  const endAtMs = phase.state === 'running' || phase.state === 'paused' ? phase.endAtMs : 0;
  const endsWithTime = phase.state === 'running' && record.autoPause === 'off';
  return {
    ...record,
    processesLostAtMs: context.clock.nowMs(),
    phase: {
      state: 'paused',
      keeps: 'files',
      endAtMs,
      ...(endsWithTime ? { expiresAtMs: endAtMs } : {}),
    },
  };
}
