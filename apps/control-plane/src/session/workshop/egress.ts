import { fingerprint } from '@ship/core';
import type { RuntimeMetadata } from '../runtime-metadata.ts';
import type { Bench } from './parts.ts';

/** As many digits as a metadata value holds. */
const DIGITS = 10;

/**
 * Applies the egress allow-list before anything of the repository runs, if it differs from the one last applied: the setting
 * may have changed since the sandbox was created, and a pooled sandbox was created before its session. A failure stops the
 * turn: a rule that could not be set must not pass for one that is.
 */
export async function limitEgress(
  { port, sandboxId, settings }: Pick<Bench, 'port' | 'sandboxId' | 'settings'>,
  metadata: Pick<RuntimeMetadata, 'read' | 'write'>,
): Promise<void> {
  const { allow } = settings.egress;
  const wanted = numberOf(JSON.stringify([sandboxId, allow]));
  if (metadata.read('egress-told') === wanted) return;
  await port.limitEgress(sandboxId, allow);
  metadata.write('egress-told', wanted);
}

const numberOf = (text: string): number => Number.parseInt(fingerprint(text).slice(0, DIGITS), 36);
