import { Hono } from 'hono';
import * as z from 'zod';
import { type Forge, pathsOf } from '../forge.ts';
import { readCommit } from '../git/commits.ts';
import {
  branchRef,
  isValidBranchName,
  isValidRefName,
  isWritableRef,
  noObject,
} from '../git/ref-names.ts';
import { listRefs, readRef, type Ref } from '../git/refs.ts';
import { isAncestor, peel } from '../git/revisions.ts';
import { commitJson, encodePath } from '../commits/to-json.ts';
import { readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite, textParam } from '../http/context.ts';
import { ApiError, notFound, unprocessable } from '../http/errors.ts';
import { noContent, reply, replyList } from '../http/respond.ts';
import { repositoryHtmlUrl, repositoryUrl } from '../repositories/to-json.ts';
import { branchProtectionJson } from '../protection/to-json.ts';
import { changeBranch } from './change.ts';
import { refJson } from './to-json.ts';

const newRef = z.object({ ref: z.string().min(1), sha: z.string().min(1) });
const moveRef = z.object({ sha: z.string().min(1), force: z.boolean().default(false) });

function nameOf(c: ForgeContext): string {
  return `refs/${textParam(c, 'ref').replace(/^refs\//, '')}`;
}

export function refRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const commitOf = async (c: ForgeContext, sha: string) => {
    const found = /^[0-9a-f]{40}$/.test(sha)
      ? await peel(pathsOf(forge, c.get('repository')), sha, 'commit')
      : undefined;
    if (found === undefined) throw unprocessable('Object does not exist');
    return found;
  };
  const show = (c: ForgeContext) => (ref: Ref) => refJson(forge, c.get('repository'), ref);
  const existing = async (c: ForgeContext): Promise<Ref> => {
    const ref = await readRef(pathsOf(forge, c.get('repository')), nameOf(c));
    if (ref === undefined) throw unprocessable('Reference does not exist');
    return ref;
  };
  app.get('/git/ref/:ref{.+}', async (c) => {
    const ref = await readRef(pathsOf(forge, c.get('repository')), nameOf(c));
    if (ref === undefined) throw notFound();
    return reply(c, show(c)(ref));
  });
  const matching = async (c: ForgeContext, prefix: string) => {
    const all = await listRefs(
      pathsOf(forge, c.get('repository')),
      'refs/heads',
      'refs/tags',
      'refs/ship',
    );
    return replyList(
      c,
      forge,
      all.filter((ref) => ref.name.startsWith(prefix)),
      show(c),
    );
  };
  app.get('/git/refs', (c) => matching(c, 'refs/'));
  app.get('/git/matching-refs', (c) => matching(c, 'refs/'));
  app.get('/git/matching-refs/:ref{.*}', (c) => matching(c, nameOf(c)));
  app.post('/git/refs', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Reference', newRef);
    if (!isValidRefName(input.ref) || !isWritableRef(input.ref))
      throw unprocessable(`${input.ref} is not a valid ref name.`);
    const sha = await commitOf(c, input.sha);
    const before = await readRef(pathsOf(forge, c.get('repository')), input.ref);
    if (before !== undefined) throw unprocessable('Reference already exists');
    await changeBranch(forge, c, input.ref, noObject, sha);
    return reply(c, show(c)({ name: input.ref, sha, type: 'commit' }), 201);
  });
  app.patch('/git/refs/:ref{.+}', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Reference', moveRef);
    const ref = await existing(c);
    const sha = await commitOf(c, input.sha);
    const paths = pathsOf(forge, c.get('repository'));
    if (!input.force && !(await isAncestor(paths, ref.sha, sha)))
      throw unprocessable('Update is not a fast forward');
    await changeBranch(forge, c, ref.name, ref.sha, sha);
    return reply(c, show(c)({ ...ref, sha }));
  });
  app.delete('/git/refs/:ref{.+}', async (c) => {
    requireWrite(c);
    const ref = await existing(c);
    await changeBranch(forge, c, ref.name, ref.sha, noObject);
    return noContent(c);
  });
  return app;
}

export function branchRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/branches', async (c) => {
    const repository = c.get('repository');
    const api = repositoryUrl(forge, repository);
    const refs = await listRefs(pathsOf(forge, repository), 'refs/heads');
    const rules = forge.store.protections.of(repository.id);
    return replyList(c, forge, refs, ({ name: ref, sha }) => {
      const name = ref.slice('refs/heads/'.length);
      const commit = { sha, url: `${api}/commits/${sha}` };
      return { name, commit, ...branchProtectionJson(forge, repository, name, rules.get(name)) };
    });
  });
  app.get('/branches/:branch{.+}', async (c) => {
    const repository = c.get('repository');
    const branch = textParam(c, 'branch');
    const paths = pathsOf(forge, repository);
    const ref = isValidBranchName(branch) ? await readRef(paths, branchRef(branch)) : undefined;
    const commit = ref === undefined ? undefined : await readCommit(paths, ref.sha);
    if (commit === undefined) throw new ApiError(404, 'Branch not found');
    const path = encodePath(branch);
    const url = `${repositoryUrl(forge, repository)}/branches/${path}`;
    return reply(c, {
      name: branch,
      commit: commitJson(forge, repository, commit),
      _links: { self: url, html: `${repositoryHtmlUrl(forge, repository)}/tree/${path}` },
      ...branchProtectionJson(
        forge,
        repository,
        branch,
        forge.store.protections.find(repository.id, branch),
      ),
    });
  });
  return app;
}
