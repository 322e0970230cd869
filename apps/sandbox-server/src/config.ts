import { networkInterfaces } from 'node:os';

import { z } from 'zod';

import { DEFAULT_ALLOWED_HOSTS, DEFAULT_ALLOWED_PORTS } from './egress/default-hosts.ts';
import { parseCidr, parseIp, type Cidr } from './egress/ip.ts';
import { canOpen, parseRule, type OwnerPolicy, type Rule } from './egress/policy.ts';
import { parseProxyUrl } from './egress/upstream-proxy.ts';
import { TOOL_NAMES } from './toolchains/types.ts';

const rule = z.string().transform((text, context): Rule => {
  const parsed = parseRule(text);
  if (parsed !== undefined && canOpen(parsed)) return parsed;
  if (parsed !== undefined) {
    context.addIssue(`${JSON.stringify(text)} names addresses that sandboxes can never reach`);
    return z.NEVER;
  }
  context.addIssue(
    `${JSON.stringify(text)} is not a rule: use a host, *.host, an address, a block, or HOST=private`,
  );
  return z.NEVER;
});
const block = z.string().transform((text, context): Cidr => {
  const parsed = parseCidr(text);
  if (parsed !== undefined) return parsed;
  context.addIssue(`${JSON.stringify(text)} is neither an address nor a block`);
  return z.NEVER;
});
const proxyUrl = z
  .string()
  // Without the value: it may contain a password.
  .refine((text) => parseProxyUrl(text) !== undefined, 'is not an http:// or https:// proxy')
  .optional();
const port = z.number().int().min(1).max(65_535);
const upstream = z.object({
  address: z
    .string()
    .regex(/^(?:https?:\/\/[^/]+\/?|unix:\/.+)$/, 'use http://host:port or unix:/path'),
  headers: z.record(z.string(), z.string()).default({}),
});

/** All settings, with their defaults. */
const configSchema = z.object({
  /** 0 takes any free port. */
  port: z.number().int().min(0).max(65_535).default(0),
  /** Loopback only: outside access goes through the control plane, which authenticates. */
  host: z.enum(['127.0.0.1', '::1', 'localhost']).default('127.0.0.1'),
  apiKey: z.string().min(8, 'an API key needs at least 8 characters'),
  dataDir: z.string().min(1),
  /** Ports of sandboxes are at `PORT-ID.<domain>`; default: `localhost:<port>`. */
  domain: z
    .string()
    .regex(/^[A-Za-z0-9.-]+(?::[0-9]+)?$/)
    .optional(),
  /** Limits of one sandbox, unless its template overrides them. */
  limits: z
    .object({
      memoryMb: z.number().int().min(64).default(2_048),
      cpuCount: z.number().int().min(1).default(2),
      processes: z.number().int().min(16).default(1_024),
      diskMb: z.number().int().min(64).default(10_240),
    })
    .prefault({}),
  capacity: z
    .object({
      maxSandboxes: z.number().int().min(1).default(100),
      minFreeMemoryMb: z.number().min(0).default(256),
      minFreeDiskMb: z.number().min(0).default(512),
    })
    .prefault({}),
  /** Beyond these, frozen and evictable sandboxes are put to sleep: their processes end, their files are kept. */
  memoryPressure: z
    .object({
      /** Above `minFreeMemoryMb`: memory is freed before a start is refused. */
      minAvailableMb: z.number().min(0).default(512),
      maxStallPercent: z.number().min(0).max(100).default(10),
    })
    .prefault({}),
  /** A folder with the owner's own templates, beside the built-in ones. */
  templatesDir: z.string().optional(),
  maxTimeoutSeconds: z.number().int().min(1).default(2_147_483),
  /** Ready sandboxes to hold, by template name. */
  pool: z.record(z.string(), z.number().int().min(0).max(100)).default({}),
  poolStartsAtOnce: z.number().int().min(1).default(2),
  egress: z
    .object({
      /** Added to the default hosts, unless `onlyThese`. */
      allow: z.array(rule).default([]),
      onlyThese: z.boolean().default(false),
      deny: z.array(rule).default([]),
      allowPrivate: z.array(block).default([]),
      ports: z.array(port).default([...DEFAULT_ALLOWED_PORTS]),
      /** The proxy that this machine itself has to use, as in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
      upstreamProxy: z
        .object({ https: proxyUrl, http: proxyUrl, noProxy: z.string().optional() })
        .prefault({}),
      maxConnectionsPerSandbox: z.number().int().min(1).default(256),
    })
    .prefault({}),
  /** PEM files with certificates that sandboxes trust, in addition to those of this machine. */
  certificateFiles: z.array(z.string().startsWith('/')).max(16).default([]),
  /** Package registries from the owner's own configuration, through a cache that all sandboxes share. */
  registries: z
    .object({
      enabled: z.boolean().default(true),
      cacheMb: z.number().int().min(16).default(4_096),
      maxFileMb: z.number().int().min(1).default(1_024),
      home: z.string().startsWith('/').optional(),
      environment: z.record(z.string(), z.string()).optional(),
    })
    .prefault({}),
  gateways: z.object({ models: upstream.optional(), git: upstream.optional() }).default({}),
  /**
   * Folders of this machine that every sandbox sees read-only, including later changes. Below /run, which is recreated at
   * every start: nothing that a sandbox has left can block the mount, or redirect it.
   */
  shared: z
    .array(
      z.object({
        source: z.string().startsWith('/'),
        target: z
          .string()
          .regex(/^\/run\/(?!egress$|lock$|certificates$)[a-z][a-z0-9-]{0,40}$/, 'use /run/NAME'),
      }),
    )
    .max(8)
    .default([]),
  /** Toolchains of this machine that every sandbox sees read-only at /run/toolchains. */
  toolchains: z
    .union([z.enum(['auto', 'none']), z.array(z.enum(TOOL_NAMES)).readonly()])
    .default('none'),
  maxInboundPerSandbox: z.number().int().min(1).default(1_024),
});
export type ConfigInput = z.input<typeof configSchema>;
export type Config = z.output<typeof configSchema>;

export function parseConfig(input: ConfigInput): Config {
  const result = configSchema.safeParse(input);
  if (result.success) return result.data;
  throw new Error(`The sandbox server cannot start: ${z.prettifyError(result.error)}`);
}

/** The owner's part of the egress policy. */
export function ownerPolicy(egress: Config['egress']): OwnerPolicy {
  const defaults = egress.onlyThese
    ? []
    : DEFAULT_ALLOWED_HOSTS.flatMap((host) => parseRule(host) ?? []);
  const own = Object.values(networkInterfaces())
    .flat()
    .flatMap((address) => parseIp(address?.address.split('%', 1)[0] ?? '') ?? []);
  return {
    allow: [...defaults, ...egress.allow],
    deny: egress.deny,
    allowPrivate: egress.allowPrivate,
    ports: new Set(egress.ports),
    hostAddresses: own,
  };
}
