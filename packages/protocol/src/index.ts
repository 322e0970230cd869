export * from './commands.ts';
export * from './errors.ts';
export * from './events/envelope.ts';
export * from './events/session-events.ts';
export * from './http/health.ts';
export * from './ids.ts';
export * from './socket.ts';
export * from './version.ts';
