export { ForgeFailure } from './failure.ts';
export type { ForgeOptions } from './options.ts';
export { type RunningForge, startForge } from './start-forge.ts';
