import type { NewSandbox } from '../lifecycle/create.ts';
import { Refusal } from '../lifecycle/errors.ts';
import { ENVD_PORT } from '../ports/route.ts';
import type { SandboxNetwork } from '../store/records.ts';
import type { NewSandboxBody } from './schemas.ts';

type CreateOptions = Omit<NewSandbox, 'source'>;
type NetworkBody = NonNullable<NewSandboxBody['network']>;

/** Refuses options that only E2B's cloud supports: ignoring them silently would surface too late. */
function refuseCloudOnly(
  network: Pick<NetworkBody, 'egressProxy' | 'rules'> | null | undefined,
): void {
  if (network?.egressProxy) {
    throw new Refusal(
      400,
      'network.egressProxy is not available on this server: all traffic already goes through the egress proxy of the server.',
      'Omit it, and list the hosts in network.allowOut.',
    );
  }
  const transforms = Object.values(network?.rules ?? {}).flat();
  if (transforms.some((rule) => Object.keys(rule.transform?.headers ?? {}).length > 0)) {
    throw new Refusal(
      400,
      'network.rules with header transforms is not available on this server: it never decrypts https traffic.',
      'Send such requests through the model or git gateway, which add credentials outside the sandbox.',
    );
  }
}

export function outboundOf(
  network: Pick<NetworkBody, 'allowOut' | 'denyOut' | 'rules' | 'egressProxy'>,
): Pick<SandboxNetwork, 'allowOut' | 'denyOut' | 'rules'> {
  refuseCloudOnly(network);
  return {
    ...(network.allowOut ? { allowOut: network.allowOut } : {}),
    ...(network.denyOut ? { denyOut: network.denyOut } : {}),
    ...(network.rules
      ? {
          rules: Object.fromEntries(
            Object.entries(network.rules).map(([host, list]) => [host, list.map(() => ({}))]),
          ),
        }
      : {}),
  };
}

function networkOf(network: NetworkBody): SandboxNetwork {
  if (network.httpsPorts?.includes(ENVD_PORT)) {
    throw new Refusal(
      400,
      `network.httpsPorts cannot list ${ENVD_PORT}: the server uses that port itself.`,
    );
  }
  return {
    ...outboundOf(network),
    ...(typeof network.allowPublicTraffic === 'boolean'
      ? { allowPublicTraffic: network.allowPublicTraffic }
      : {}),
    ...(network.maskRequestHost ? { maskRequestHost: network.maskRequestHost } : {}),
    ...(network.httpsPorts ? { httpsPorts: network.httpsPorts } : {}),
  };
}

/** The create body as options of the life cycle. */
export function createOptionsOf(
  body: NewSandboxBody,
  defaults: { timeoutSeconds: number; alwaysSecure: boolean },
): CreateOptions {
  if ((body.volumeMounts ?? []).length > 0) {
    throw new Refusal(
      400,
      'Volumes are not available on this server.',
      'Keep data in the sandbox and use snapshots.',
    );
  }
  if (Object.keys(body.iam?.tokens ?? {}).length > 0) {
    throw new Refusal(
      400,
      'Workload identity tokens are not available on this server.',
      "Omit 'iam'.",
    );
  }
  const autoResume = body.autoResume?.enabled ?? false;
  const autoPause = body.autoPause ? ((body.autoPauseMemory ?? true) ? 'memory' : 'files') : 'off';
  if (autoResume && autoPause === 'files') {
    throw new Refusal(
      400,
      'autoResume cannot be combined with autoPauseMemory: false.',
      'Resume it explicitly with connect.',
    );
  }
  return {
    timeoutMs: (body.timeout ?? defaults.timeoutSeconds) * 1_000,
    secure: defaults.alwaysSecure || (body.secure ?? false),
    env: body.envVars ?? {},
    metadata: body.metadata ?? {},
    network: body.network ? networkOf(body.network) : undefined,
    allowInternetAccess: body.allow_internet_access ?? undefined,
    autoPause,
    autoResume,
  };
}
