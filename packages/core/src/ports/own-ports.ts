/**
 * Ports that Ship uses inside a sandbox: the agent, the sandbox's server, the egress proxies. A browser that reached them could
 * bypass the session to control the agent, or bypass the file server's login.
 */
const OWN_PORTS: ReadonlySet<number> = new Set([4096, 49_983, 3128, 7001, 7002, 7003]);

export const isOwnPort = (port: number): boolean => OWN_PORTS.has(port);

/** VS Code's port. Browsers may connect to it, but it is not a program of the user. */
export const EDITOR_PORT = 13_337;
