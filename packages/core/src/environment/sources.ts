export * from './team-environment.ts';
export * from './team-scripts.ts';
export * from './team-table.ts';
export * from './find-sources.ts';
export { servicesScript } from './native-servers.ts';
export * from './source.ts';
export * from './setup-agent.ts';
export { TEAM_PROGRAMS, type TeamFacts, teamEnvironment } from './team-preparation.ts';
