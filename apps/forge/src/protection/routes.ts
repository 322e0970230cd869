import { Hono } from 'hono';
import * as z from 'zod';
import { type Forge, pathsOf } from '../forge.ts';
import { branchRef, isValidBranchName } from '../git/ref-names.ts';
import { readRef } from '../git/refs.ts';
import { readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite, textParam } from '../http/context.ts';
import { ApiError } from '../http/errors.ts';
import { noContent, reply } from '../http/respond.ts';
import { protectionJson } from './to-json.ts';

const MAX_APPROVALS = 6;

const newRules = z.object({
  required_status_checks: z
    .object({
      strict: z.boolean().default(false),
      contexts: z.array(z.string().min(1).max(200)).max(100).optional(),
      checks: z
        .array(z.object({ context: z.string().min(1).max(200) }))
        .max(100)
        .optional(),
    })
    .nullable(),
  enforce_admins: z.boolean().nullable(),
  required_pull_request_reviews: z
    .object({ required_approving_review_count: z.int().min(0).max(MAX_APPROVALS).default(1) })
    .nullable(),
  restrictions: z.unknown(),
  allow_force_pushes: z.boolean().nullish(),
  allow_deletions: z.boolean().nullish(),
});

/** Branch protection. Anyone who can set the rules can remove them, so they prevent accidents, not attacks. */
export function protectionRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const path = '/branches/:branch{.+}/protection';
  const branchOf = async (c: ForgeContext): Promise<string> => {
    const branch = textParam(c, 'branch');
    const paths = pathsOf(forge, c.get('repository'));
    const ref = isValidBranchName(branch) ? await readRef(paths, branchRef(branch)) : undefined;
    if (ref === undefined) throw new ApiError(404, 'Branch not found');
    return branch;
  };
  app.get(path, async (c) => {
    const repository = c.get('repository');
    const branch = await branchOf(c);
    const rules = forge.store.protections.find(repository.id, branch);
    if (rules === undefined) throw new ApiError(404, 'Branch not protected');
    return reply(c, protectionJson(forge, repository, branch, rules));
  });
  app.put(path, async (c) => {
    requireWrite(c);
    const repository = c.get('repository');
    const branch = await branchOf(c);
    const body = await readJson(c, 'ProtectedBranch', newRules);
    const checks = body.required_status_checks;
    const rules = {
      approvals: body.required_pull_request_reviews?.required_approving_review_count ?? null,
      checks:
        checks === null
          ? null
          : (checks.checks?.map(({ context }) => context) ?? checks.contexts ?? []),
      strict: checks?.strict ?? false,
      enforceAdmins: body.enforce_admins ?? false,
      allowForcePushes: body.allow_force_pushes ?? false,
      allowDeletions: body.allow_deletions ?? false,
    };
    forge.store.protections.set(repository.id, branch, rules);
    return reply(c, protectionJson(forge, repository, branch, rules));
  });
  app.delete(path, async (c) => {
    requireWrite(c);
    const isGone = forge.store.protections.remove(c.get('repository').id, await branchOf(c));
    if (!isGone) throw new ApiError(404, 'Branch not protected');
    return noContent(c);
  });
  return app;
}
