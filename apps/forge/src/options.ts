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
  /** `owner/name`; all repositories when left out. */
  repositories: z.array(z.string()).optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
});

const webhookOptions = z.object({
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().min(1),
  /** GitHub's event names; all when left out. */
  events: z.array(z.string()).optional(),
});

const options = z.object({
  root: z.string().min(1),
  port: z.int().min(0).max(65_535).default(0),
  host: z.string().default('127.0.0.1'),
  tokens: z.array(tokenOptions).default([]),
  webhooks: z.array(webhookOptions).default([]),
  /** The one user when there are no tokens, and the owner of repositories that name none. */
  login: login.default('local'),
  name: z.string().optional(),
  email: z.string().optional(),
  /** Where `html_url` points; the git URL when left out. */
  htmlUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Names, beside loopback's, under which clients may address the forge. */
  allowedHosts: z.array(z.string()).default([]),
  webhookRetryMs: z.number().min(1).default(1000),
});

export type TokenOptions = z.output<typeof tokenOptions>;
export type WebhookOptions = z.output<typeof webhookOptions>;
export type ParsedOptions = z.output<typeof options>;

export interface ForgeOptions extends z.input<typeof options> {
  /** The clock; the machine's when left out. */
  now?: () => Date;
  /** Gets one line for each thing that went wrong inside. */
  log?: (line: string) => void;
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

export function parseOptions(input: ForgeOptions): ParsedOptions {
  const result = options.safeParse(input);
  if (!result.success)
    throw new ForgeFailure(
      `the forge’s options are not valid: ${z.prettifyError(result.error)}`,
      'Correct them and start again.',
    );
  if (!loopback.has(result.data.host) && result.data.tokens.length === 0)
    throw new ForgeFailure(
      `the forge would be open to everybody who can reach ${result.data.host}`,
      'Configure tokens, or let it listen on 127.0.0.1.',
    );
  return result.data;
}
