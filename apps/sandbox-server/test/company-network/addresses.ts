/** Documentation and private address space; all of it exists only in the namespaces of this test. */
export const MACHINE = '10.177.0.1';
export const PROXY = '10.177.0.2';
export const PROXY_PORT = 3128;
/** The same proxy over TLS, with a company certificate for its address. */
export const SECURE_PROXY_PORT = 3129;
/** In another network: the machine has no route to it. */
export const REGISTRY = '10.188.0.5';
export const REGISTRY_NAME = 'registry.npmjs.org';
export const CREDENTIALS = { user: 'builder', password: 'proxy-password-7f3a' };

interface Ran {
  exitCode: number;
  output: string;
}

/** The findings of machine.ts. */
export interface Report {
  install: Ran;
  installed: string;
  proxied: string[];
  trusted: Record<string, number>;
  refused: Ran & { tookMs: number };
  withoutEntry: Ran;
  authorized: boolean;
  /** Through the proxy at its `https://` address. */
  secure: { install: Ran; tunnel: Ran; forward: Ran; asked: string[] };
  secretInside: string;
  /** Size of the searched text. */
  insideBytes: number;
}
