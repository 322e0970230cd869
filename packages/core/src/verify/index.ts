export * from './compare.ts';
export * from './confidence.ts';
export * from './detect.ts';
export * from './evolve.ts';
export * from './judge.ts';
export * from './setup.ts';
export * from './setup-reuse.ts';
export * from './repair.ts';
