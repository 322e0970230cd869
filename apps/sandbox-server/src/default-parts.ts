import type { Parts } from './assemble.ts';
import type { Config } from './config.ts';
import { systemDialer, systemResolver } from './egress/dial.ts';
import { systemClock } from './lifecycle/clock.ts';

export async function createDefaultParts(_config: Config, given: Partial<Parts>): Promise<Parts> {
  const { backend, catalog } = given;
  if (backend === undefined || catalog === undefined) throw new Error('no isolation back end');
  return {
    backend,
    catalog,
    clock: given.clock ?? systemClock,
    resolve: given.resolve ?? systemResolver,
    dial: given.dial ?? systemDialer,
    log: given.log ?? (() => undefined),
  };
}
