/**
 * Connects people to a sandbox without the session's object: terminals and files are streams, which the object's one thread
 * must not carry.
 */
import type { Settings } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { E2bDisk } from './e2b-disk.ts';
import { E2bTerminals } from './e2b-terminals.ts';
import { type SandboxBindings, connectionTo } from './services.ts';

/** The session object's answer about its sandbox. */
export interface SandboxRef {
  sandboxId: string;
  provider: Settings['sandboxProvider'];
}

export interface SandboxConnection {
  terminals: E2bTerminals;
  disk: E2bDisk;
}

/** A connection belongs to the request that opens it, so there is no cache. */
export type SandboxConnector = (sandbox: SandboxRef) => Promise<SandboxConnection>;

export function sandboxConnector(bindings: SandboxBindings): SandboxConnector {
  return async ({ sandboxId, provider }) => {
    const sandbox = await Sandbox.connect(sandboxId, connectionTo(provider, bindings));
    return { terminals: new E2bTerminals(sandbox), disk: new E2bDisk(sandbox) };
  };
}
