/**
 * How people get into a sandbox from the outside, past the session's object: terminals and files are streams, and a
 * session's one thread must not carry them.
 */
import type { Settings } from '@ship/protocol';
import { Sandbox } from 'e2b';
import { E2bDisk } from './e2b-disk.ts';
import { E2bTerminals } from './e2b-terminals.ts';
import { type SandboxBindings, connectionTo } from './services.ts';

/** What the session's object says of its sandbox to those who may enter it. */
export interface SandboxEntry {
  sandboxId: string;
  provider: Settings['sandboxProvider'];
}

export interface SandboxConnection {
  terminals: E2bTerminals;
  disk: E2bDisk;
}

/** A connection belongs to the request that makes it: hence a function, and nothing kept. */
export type SandboxConnector = (entry: SandboxEntry) => Promise<SandboxConnection>;

export function sandboxConnector(bindings: SandboxBindings): SandboxConnector {
  return async ({ sandboxId, provider }) => {
    const sandbox = await Sandbox.connect(sandboxId, connectionTo(provider, bindings));
    return { terminals: new E2bTerminals(sandbox), disk: new E2bDisk(sandbox) };
  };
}
