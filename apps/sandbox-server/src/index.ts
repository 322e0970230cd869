/** E2B's protocol on one machine. `openSandboxServer` is all that a host process needs. */
export {
  openSandboxServer,
  startSandboxServer,
  type OpeningSandboxServer,
  type SandboxServer,
  type SandboxServerOptions,
} from './server.ts';
export { npmProgram } from './templates/packages.ts';
export { SANDBOX_ID_HEADER, type GatewayUpstream } from './egress/gateway.ts';
export { examineToolchains } from './toolchains/index.ts';
export { TOOL_NAMES, type ToolchainChoice, type ToolchainEntry } from './toolchains/types.ts';
export { deleteSandboxes, examineIds } from './isolation/host-ids.ts';
