/** Helpers for workerd tests: new workspaces, and sessions to put into them. */
import { env } from 'cloudflare:test';
import {
  type Card,
  type CardCreate,
  CardCreate as CardCreateSchema,
  RequestId,
  type SessionQuery,
  SessionQuery as SessionQuerySchema,
  type SessionSummary,
  createId,
} from '@ship/protocol';
import { unwrap } from '../platform/result.ts';
import type { Workspace } from '../workspace/workspace.ts';

export type WorkspaceStub = DurableObjectStub<Workspace>;

export const workspaceNamed = (name: string): WorkspaceStub =>
  env.WORKSPACES.get(env.WORKSPACES.idFromName(name));

export const newWorkspace = (): WorkspaceStub => workspaceNamed(crypto.randomUUID());

export function summary(overrides: Partial<SessionSummary> = {}): SessionSummary {
  return {
    sessionId: createId('ses'),
    title: 'Fix the login',
    repository: 'https://forge.example/acme/shop',
    base: 'main',
    branch: 'ship-fix-the-login',
    status: 'working',
    statusDetail: null,
    needsYou: null,
    model: 'demo/scripted',
    step: 1,
    maxSteps: 20,
    costUsd: 0.25,
    inputTokens: 1000,
    outputTokens: 100,
    additions: 3,
    deletions: 1,
    pullRequest: null,
    confidence: null,
    timings: { firstTokenMs: null, pullRequestMs: null },
    createdAt: 1_000,
    updatedAt: 2_000,
    source: 'web',
    ...overrides,
  };
}

export async function report(
  stub: WorkspaceStub,
  overrides: Partial<SessionSummary> = {},
  version = 1,
): Promise<SessionSummary> {
  const reported = summary(overrides);
  unwrap(await stub.reportSession({ version, summary: reported }));
  return reported;
}

export const query = (overrides: Record<string, unknown> = {}): SessionQuery =>
  SessionQuerySchema.parse(overrides);

export async function listed(stub: WorkspaceStub, overrides: Record<string, unknown> = {}) {
  return unwrap(await stub.listSessions(query(overrides)));
}

export const draft = (title: string, overrides: Record<string, unknown> = {}): CardCreate =>
  CardCreateSchema.parse({ title, requestId: crypto.randomUUID(), ...overrides });

export async function addCard(stub: WorkspaceStub, title: string): Promise<Card> {
  return unwrap(await stub.createCard(draft(title)));
}

export const requestId = (): RequestId => RequestId.parse(crypto.randomUUID());

/** The error code of a refusal; throws when the call succeeded. */
export function refusedWith(result: { ok: true } | { ok: false; error: { code: string } }): string {
  if (result.ok) throw new Error('expected a refusal');
  return result.error.code;
}

/** Card titles by column. */
export async function columns(stub: WorkspaceStub): Promise<Record<string, string[]>> {
  const board = unwrap(await stub.readBoard());
  return Object.fromEntries(
    board.columns.map(({ column, cards }) => [
      column,
      cards.map((card) => (card.kind === 'session' ? card.session.title : card.draft.title)),
    ]),
  );
}
