import { type Settings, fail } from '@ship/protocol';
import { type E2bConnection, E2bSandboxes } from './e2b.ts';
import type { SandboxPort } from './port.ts';

export interface SandboxBindings {
  /** The local sandbox server. */
  E2B_API_URL?: string | null;
  E2B_SANDBOX_URL?: string | null;
  E2B_API_KEY?: string | null;
  /** The user's own key for E2B's cloud. */
  E2B_CLOUD_API_KEY?: string | null;
  E2B_TEMPLATE?: string | null;
  /** The public address of the gateways, for cloud sandboxes. */
  PUBLIC_URL?: string | null;
}

/** At E2B, `base` is E2B's own template, without an agent in it. */
const CLOUD_TEMPLATE = 'ship';

type Provider = Settings['sandboxProvider'];
export type SandboxServices = (provider: Provider) => SandboxPort;

/** The setting chooses the service; its configuration comes from the environment. */
export function sandboxServices(bindings: SandboxBindings): SandboxServices {
  const known = new Map<string, SandboxPort>();
  return (provider) => {
    const port =
      known.get(provider) ??
      new E2bSandboxes(
        connectionTo(provider, bindings),
        templateAt(provider, bindings),
        gatewayHosts(provider, bindings),
      );
    known.set(provider, port);
    return port;
  };
}

export function connectionTo(provider: Provider, bindings: SandboxBindings): E2bConnection {
  return provider === 'e2b' ? cloud(bindings) : local(bindings);
}

function templateAt(provider: Provider, { E2B_TEMPLATE }: SandboxBindings): string | undefined {
  return provider === 'e2b' ? E2B_TEMPLATE || CLOUD_TEMPLATE : undefined;
}

/** Local sandboxes reach the gateways through a port inside; for cloud sandboxes they are hosts like others. */
function gatewayHosts(provider: Provider, { PUBLIC_URL }: SandboxBindings): string[] {
  return provider === 'e2b' && PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [];
}

function cloud({ E2B_CLOUD_API_KEY: apiKey }: SandboxBindings): E2bConnection {
  if (!apiKey)
    return fail(
      'not-configured',
      'E2B is chosen for sandboxes, and there is no key for it.',
      'Set E2B_API_KEY where Ship is started, or set sandboxProvider to "local" by PATCH /api/settings, then retry.',
    );
  return { apiKey };
}

function local({ E2B_API_URL, E2B_SANDBOX_URL, E2B_API_KEY }: SandboxBindings): E2bConnection {
  if (!E2B_API_URL || !E2B_SANDBOX_URL || !E2B_API_KEY)
    return fail(
      'not-configured',
      'This control plane has no sandbox server beside it.',
      'Set sandboxProvider to "e2b" by PATCH /api/settings, or run `ship up` on a Linux machine, then retry.',
    );
  return { apiKey: E2B_API_KEY, apiUrl: E2B_API_URL, sandboxUrl: E2B_SANDBOX_URL };
}

/** The default of a new workspace: local sandboxes, or E2B's where there are only those. */
export function defaultProvider({ E2B_API_URL, E2B_CLOUD_API_KEY }: SandboxBindings): Provider {
  return !E2B_API_URL && E2B_CLOUD_API_KEY ? 'e2b' : 'local';
}
