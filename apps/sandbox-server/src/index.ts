/** E2B's protocol on one machine. `startSandboxServer` is all that a host process needs. */
export { startSandboxServer, type SandboxServer, type SandboxServerOptions } from './server.ts';
export { SANDBOX_ID_HEADER, type GatewayUpstream } from './egress/gateway.ts';
