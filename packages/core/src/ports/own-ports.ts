/**
 * What the platform itself listens on inside a sandbox: the agent, the sandbox's own server, the ways out. A browser that
 * got there could speak to the agent past the session, or to the file server past its login.
 */
const OWN_PORTS: ReadonlySet<number> = new Set([4096, 49_983, 3128, 7001, 7002, 7003]);

export const isOwnPort = (port: number): boolean => OWN_PORTS.has(port);

/** VS Code's. Browsers may go there, but it is no program of the user's. */
export const EDITOR_PORT = 13_337;
