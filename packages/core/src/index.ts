export * from './board/column.ts';
export * from './board/order.ts';
export * from './retry/policy.ts';
export * from './session/decide.ts';
export * from './session/evolve.ts';
export * from './session/state.ts';
