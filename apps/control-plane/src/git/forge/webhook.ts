import * as z from 'zod';

/** Whether the forge that knows `secret` sent exactly these bytes. Compares in constant time. */
export async function verifySignature(
  secret: string,
  body: Uint8Array<ArrayBuffer>,
  header: string | null,
): Promise<boolean> {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(header ?? '')?.[1];
  if (hex === undefined || secret === '') return false;
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const key = await crypto.subtle.importKey(
    'raw',
    new Uint8Array(new TextEncoder().encode(secret)),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  return crypto.subtle.verify('HMAC', key, signature, body);
}

const repository = z.object({ full_name: z.string() });

const PullRequestPayload = z.object({
  action: z.string(),
  repository,
  pull_request: z.object({
    number: z.int(),
    title: z.string(),
    state: z.enum(['open', 'closed']),
    draft: z.boolean().default(false),
    merged: z.boolean().nullish(),
    merged_at: z.string().nullish(),
    head: z.object({ ref: z.string(), sha: z.string() }),
  }),
});

const PushPayload = z.object({
  repository,
  ref: z.string(),
  after: z.string(),
  deleted: z.boolean(),
});

const CheckRunPayload = z.object({
  repository,
  check_run: z.object({
    name: z.string(),
    head_sha: z.string(),
    status: z.string(),
    conclusion: z.string().nullable(),
  }),
});

const StatusPayload = z.object({
  repository,
  sha: z.string(),
  context: z.string(),
  state: z.enum(['pending', 'success', 'failure', 'error']),
});

/** The parts of a webhook that a session needs. */
export type WebhookEvent =
  | {
      kind: 'pull-request';
      repository: string;
      action: string;
      number: number;
      title: string;
      branch: string;
      headSha: string;
      state: 'open' | 'merged' | 'closed';
      draft: boolean;
    }
  /** `sha` is null when the branch was deleted. */
  | { kind: 'push'; repository: string; branch: string; sha: string | null }
  | {
      kind: 'check';
      repository: string;
      name: string;
      headSha: string;
      result: 'pending' | 'passed' | 'failed';
    };

/** Undefined for events that no session needs, and for invalid payloads. */
export function parseWebhook(event: string, payload: unknown): WebhookEvent | undefined {
  switch (event) {
    case 'pull_request':
      return parsed(PullRequestPayload, payload, pullRequestEvent);
    case 'push':
      return parsed(PushPayload, payload, pushEvent);
    case 'check_run':
      return parsed(CheckRunPayload, payload, checkRunEvent);
    case 'status':
      return parsed(StatusPayload, payload, statusEvent);
    default:
      return undefined;
  }
}

/** The branch that a merged pull request reverts. GitHub's "Revert" names its own branch after it. */
export function revertedBranch(event: WebhookEvent): string | undefined {
  if (event.kind !== 'pull-request' || event.state !== 'merged') return undefined;
  return /^revert-\d+-(.+)$/.exec(event.branch)?.[1];
}

function parsed<T>(
  schema: z.ZodType<T>,
  payload: unknown,
  toEvent: (data: T) => WebhookEvent | undefined,
): WebhookEvent | undefined {
  const result = schema.safeParse(payload);
  return result.success ? toEvent(result.data) : undefined;
}

function pullRequestEvent(data: z.infer<typeof PullRequestPayload>): WebhookEvent {
  const { number, title, state, draft, merged, merged_at: mergedAt, head } = data.pull_request;
  const isMerged = merged === true || (mergedAt ?? null) !== null;
  return {
    kind: 'pull-request',
    repository: data.repository.full_name,
    action: data.action,
    number,
    title,
    branch: head.ref,
    headSha: head.sha,
    state: isMerged ? 'merged' : state,
    draft,
  };
}

function pushEvent({
  repository: { full_name: name },
  ref,
  after,
  deleted,
}: z.infer<typeof PushPayload>) {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  if (branch === undefined) return undefined;
  return { kind: 'push' as const, repository: name, branch, sha: deleted ? null : after };
}

function checkRunEvent({
  repository: { full_name: name },
  check_run: run,
}: z.infer<typeof CheckRunPayload>) {
  const isGood = ['success', 'neutral', 'skipped'].includes(run.conclusion ?? '');
  const result = run.status !== 'completed' ? 'pending' : isGood ? 'passed' : 'failed';
  return {
    kind: 'check',
    repository: name,
    name: run.name,
    headSha: run.head_sha,
    result,
  } as const;
}

function statusEvent({
  repository: { full_name: name },
  sha,
  context,
  state,
}: z.infer<typeof StatusPayload>) {
  const result = state === 'pending' ? 'pending' : state === 'success' ? 'passed' : 'failed';
  return { kind: 'check', repository: name, name: context, headSha: sha, result } as const;
}
