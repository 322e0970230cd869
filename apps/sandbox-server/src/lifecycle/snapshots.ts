import type { LayerRecord, SandboxRecord } from '../store/records.ts';
import type { NewSandbox } from './create.ts';
import { messageOf, Refusal } from './errors.ts';
import type { Sandboxes } from './sandboxes.ts';

/** Captures the sandbox's current files as a layer; the sandbox keeps running. */
export function takeSnapshot(
  sandboxes: Sandboxes,
  id: string,
  name: string | undefined,
): Promise<LayerRecord> {
  return sandboxes.runExclusive(id, (record) => sandboxes.layers.capture(record, 'snapshot', name));
}

/** Creates sandboxes from the files of a running one, without its processes. One result per fork. */
export async function forkSandbox(
  sandboxes: Sandboxes,
  id: string,
  count: number,
  timeoutMs: number,
): Promise<(SandboxRecord | Refusal)[]> {
  const { record, layer } = await sandboxes.runExclusive(id, async (source) => {
    sandboxes.assertRunning(source);
    return { record: source, layer: await sandboxes.layers.capture(source, 'fork') };
  });
  const wanted: NewSandbox = {
    source: {
      templateId: record.templateId,
      alias: record.alias,
      layer: layer.id,
      limits: record.limits,
      env: record.env,
    },
    timeoutMs,
    secure: record.accessToken !== undefined,
    env: {},
    metadata: record.metadata,
    network: record.network,
    allowInternetAccess: record.allowInternetAccess,
    autoPause: record.autoPause,
    autoResume: record.autoResume,
  };
  const forks = await Promise.allSettled(
    Array.from({ length: count }, () => sandboxes.create(wanted)),
  );
  return forks.map((fork) => {
    if (fork.status === 'fulfilled') return fork.value;
    const reason: unknown = fork.reason;
    return reason instanceof Refusal ? reason : new Refusal(503, messageOf(reason));
  });
}
