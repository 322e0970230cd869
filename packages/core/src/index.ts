export * from './errors/classify.ts';
export * from './retry/policy.ts';
export * from './session/decide.ts';
export * from './session/evolve.ts';
export * from './session/state.ts';
export * from './sandbox/policy.ts';
export * from './sandbox/state.ts';
