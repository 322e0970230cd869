import { fingerprint } from '@ship/core';
import type { RuntimeMetadata } from '../runtime-metadata.ts';
import type { Bench } from './parts.ts';

/** What a number of the metadata holds. */
const DIGITS = 10;

/**
 * Before anything of the repository runs, the sandbox is told which hosts it may reach, if they are others than it was
 * last told: the setting may have changed since it was made, and one from the reserve was made for nobody in particular.
 * It is not run without: a rule that could not be set must not be taken for one that is.
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
