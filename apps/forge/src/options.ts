import * as z from 'zod';
import { ForgeFailure } from './failure.ts';

const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/, 'is not a valid login');

const tokenOptions = z.object({
  token: z.string().min(1),
  login,
  name: z.string().optional(),
  email: z.string().optional(),
  /** `read` refuses pushes and changes, as GitHub does for a token without that permission. */
  access: z.enum(['read', 'write']).optional(),
  /** `owner/name`; default: all repositories. */
  repositories: z.array(z.string()).optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
});

const webhookOptions = z.object({
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().min(1),
  /** GitHub's event names; default: all. */
  events: z.array(z.string()).optional(),
});

const options = z.object({
  root: z.string().min(1),
  port: z.int().min(0).max(65_535).default(0),
  host: z.string().default('127.0.0.1'),
  tokens: z.array(tokenOptions).default([]),
  webhooks: z.array(webhookOptions).default([]),
  /** The only user when no tokens are configured, and the default owner of registered repositories. */
  login: login.default('local'),
  name: z.string().optional(),
  email: z.string().optional(),
  /** Base of every `html_url`; default: the git URL. */
  htmlUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Host names, in addition to loopback, that requests may use. */
  allowedHosts: z.array(z.string()).default([]),
  webhookRetryMs: z.number().min(1).default(1000),
});

export type TokenOptions = z.output<typeof tokenOptions>;
export type WebhookOptions = z.output<typeof webhookOptions>;
export type ParsedOptions = z.output<typeof options>;

export interface ForgeOptions extends z.input<typeof options> {
  /** Default: the system clock. */
  now?: () => Date;
  /** Receives one line per internal error. */
  log?: (line: string) => void;
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

export function parseOptions(input: ForgeOptions): ParsedOptions {
  const result = options.safeParse(input);
  if (!result.success)
    throw new ForgeFailure(
      `the forge’s options are not valid: ${z.prettifyError(result.error)}`,
      'Fix them and start the forge again.',
    );
  if (!loopback.has(result.data.host) && result.data.tokens.length === 0)
    throw new ForgeFailure(
      `without tokens the forge would be open to anyone who can reach ${result.data.host}`,
      'Configure tokens, or listen on 127.0.0.1.',
    );
  return result.data;
}
