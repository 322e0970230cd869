export * from './compare.ts';
export * from './confidence.ts';
export * from './detect.ts';
export * from './evolve.ts';
export * from './judge.ts';
export * from './setup.ts';
export * from './repair.ts';
