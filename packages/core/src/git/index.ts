export * from './branch-name.ts';
export * from './clone-plan.ts';
export * from './commit-message.ts';
export * from './diff/parse.ts';
export * from './evidence-text.ts';
export * from './evolve.ts';
export * from './forge-limits.ts';
export * from './pull-request-text.ts';
