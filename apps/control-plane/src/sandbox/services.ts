import { type Settings, fail } from '@ship/protocol';
import { E2bSandboxes } from './e2b.ts';
import type { SandboxPort } from './port.ts';

export interface SandboxBindings {
  /** The sandbox server of this machine. */
  E2B_API_URL?: string | null;
  E2B_SANDBOX_URL?: string | null;
  E2B_API_KEY?: string | null;
  /** The user's own key for E2B's cloud. */
  E2B_CLOUD_API_KEY?: string | null;
  E2B_TEMPLATE?: string | null;
}

/** At E2B `base` is E2B's own, without an agent in it. */
const CLOUD_TEMPLATE = 'ship';

export type SandboxServices = (provider: Settings['sandboxProvider']) => SandboxPort;

/** Which service is used is a setting; what each needs comes from outside. */
export function sandboxServices(bindings: SandboxBindings): SandboxServices {
  const known = new Map<string, SandboxPort>();
  return (provider) => {
    const port = known.get(provider) ?? (provider === 'e2b' ? cloud(bindings) : local(bindings));
    known.set(provider, port);
    return port;
  };
}

function cloud({ E2B_CLOUD_API_KEY: apiKey, E2B_TEMPLATE }: SandboxBindings): SandboxPort {
  if (!apiKey)
    return fail(
      'not-configured',
      'E2B is chosen for sandboxes, and there is no key for it.',
      'Set E2B_API_KEY where Ship is started, or choose local sandboxes in Settings, then retry.',
    );
  return new E2bSandboxes({ apiKey }, E2B_TEMPLATE || CLOUD_TEMPLATE);
}

function local({ E2B_API_URL, E2B_SANDBOX_URL, E2B_API_KEY }: SandboxBindings): SandboxPort {
  if (!E2B_API_URL || !E2B_SANDBOX_URL || !E2B_API_KEY)
    return fail(
      'not-configured',
      'This control plane has no sandbox server beside it.',
      'Choose E2B for sandboxes in Settings, or run `ship up` on a Linux machine, then retry.',
    );
  return new E2bSandboxes({
    apiKey: E2B_API_KEY,
    apiUrl: E2B_API_URL,
    sandboxUrl: E2B_SANDBOX_URL,
  });
}

/** What a new workspace uses: the machine's own sandboxes, or E2B's where there are only those. */
export function defaultProvider({
  E2B_API_URL,
  E2B_CLOUD_API_KEY,
}: SandboxBindings): Settings['sandboxProvider'] {
  return !E2B_API_URL && E2B_CLOUD_API_KEY ? 'e2b' : 'local';
}
