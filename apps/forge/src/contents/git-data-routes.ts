import { Hono } from 'hono';
import * as z from 'zod';
import { gitCommitJson } from '../commits/to-json.ts';
import { type Forge, pathsOf } from '../forge.ts';
import { readCommit } from '../git/commits.ts';
import { editTree } from '../git/edit-tree.ts';
import { writeCommit } from '../git/merge.ts';
import { isObjectId } from '../git/ref-names.ts';
import { peel, resolveCommit } from '../git/revisions.ts';
import { isTreePath, readBlob, readTree, writeBlob } from '../git/trees.ts';
import { nodeId } from '../graphql/node-id.ts';
import { bodyText, readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite, textParam } from '../http/context.ts';
import { forbidden, notFound, unprocessable } from '../http/errors.ts';
import { queryOf, reply } from '../http/respond.ts';
import { identityOf } from '../pulls/prepare-merge.ts';
import { repositoryUrl } from '../repositories/to-json.ts';

const newBlob = z.object({
  content: z.string(),
  encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
});

const newTree = z.object({
  base_tree: z.string().optional(),
  tree: z
    .array(
      z.object({
        path: z.string().refine(isTreePath, 'is not a path inside the repository'),
        mode: z.enum(['100644', '100755', '040000', '160000', '120000']).default('100644'),
        type: z.enum(['blob', 'tree', 'commit']).optional(),
        sha: z.string().nullish(),
        content: z.string().optional(),
      }),
    )
    .min(1)
    .max(10_000),
});

export const signature = z.object({
  name: z.string().min(1),
  email: z.string().min(1),
  date: z.iso.datetime({ offset: true }).optional(),
});

const newCommit = z.object({
  message: bodyText,
  tree: z.string(),
  parents: z.array(z.string()).max(16).default([]),
  author: signature.optional(),
  committer: signature.optional(),
});

/** Git objects: blobs, trees, commits. */
export function gitDataRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const paths = (c: ForgeContext) => pathsOf(forge, c.get('repository'));
  const url = (c: ForgeContext) => repositoryUrl(forge, c.get('repository'));
  app.get('/git/blobs/:sha', async (c) => {
    const sha = textParam(c, 'sha');
    if (!isObjectId(sha))
      throw unprocessable(
        'The sha parameter must be exactly 40 characters and contain only [0-9a-f].',
      );
    const content = await readBlob(paths(c), sha);
    if (content === undefined) throw notFound();
    const id = nodeId('B', c.get('repository').id, sha);
    const text = content.toString('base64');
    return reply(c, {
      sha,
      node_id: id,
      size: content.length,
      url: `${url(c)}/git/blobs/${sha}`,
      content: text,
      encoding: 'base64',
    });
  });
  app.post('/git/blobs', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Blob', newBlob);
    const sha = await writeBlob(
      paths(c),
      Buffer.from(input.content, input.encoding === 'base64' ? 'base64' : 'utf8'),
    );
    return reply(c, { url: `${url(c)}/git/blobs/${sha}`, sha }, 201);
  });
  const treeJson = async (c: ForgeContext, sha: string, recursive: boolean) => {
    const { entries, truncated } = await readTree(paths(c), sha, recursive);
    const tree = entries.map((entry) => ({
      ...entry,
      url: `${url(c)}/git/${entry.type}s/${entry.sha}`,
    }));
    return { sha, url: `${url(c)}/git/trees/${sha}`, tree, truncated };
  };
  app.get('/git/trees/:sha{.+}', async (c) => {
    const name = textParam(c, 'sha');
    const commit = isObjectId(name) ? name : await resolveCommit(paths(c), name);
    const sha = commit === undefined ? undefined : await peel(paths(c), commit, 'tree');
    if (sha === undefined) throw notFound();
    return reply(c, await treeJson(c, sha, queryOf(c).has('recursive')));
  });
  app.post('/git/trees', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Tree', newTree);
    const base =
      input.base_tree === undefined ? undefined : await known(c, input.base_tree, 'tree');
    const edits = [];
    for (const { path, mode, sha, content } of input.tree) {
      if (mode === '040000')
        throw unprocessable(
          'List files by their full path; entries of type tree are not supported.',
        );
      if (sha === undefined && content === undefined)
        throw unprocessable('tree.sha or tree.content must be given');
      const blob = content === undefined ? sha : await writeBlob(paths(c), Buffer.from(content));
      if (blob !== null && blob !== undefined && !isObjectId(blob))
        throw unprocessable('tree.sha is not an object id');
      edits.push({ path, mode, sha: blob ?? null });
    }
    return reply(c, await treeJson(c, await editTree(paths(c), base, edits), false), 201);
  });
  const known = async (c: ForgeContext, sha: string, type: 'commit' | 'tree') => {
    const found = isObjectId(sha) ? await peel(paths(c), sha, type) : undefined;
    if (found === undefined) throw unprocessable(`${type} ${sha.slice(0, 60)} does not exist`);
    return found;
  };
  app.get('/git/commits/:sha', async (c) => {
    const sha = textParam(c, 'sha');
    const commit = isObjectId(sha) ? await readCommit(paths(c), sha) : undefined;
    if (commit === undefined) throw notFound();
    return reply(c, gitCommitJson(forge, c.get('repository'), commit));
  });
  app.post('/git/commits', async (c) => {
    requireWrite(c);
    const input = await readJson(c, 'Commit', newCommit);
    const tree = await known(c, input.tree, 'tree');
    const parents = await Promise.all(input.parents.map((sha) => known(c, sha, 'commit')));
    const self = identityOf(c.get('actor').user);
    const author = input.author ?? self;
    const dated = { ...author, date: input.author?.date ?? forge.now().toISOString() };
    const committer = input.committer ?? input.author ?? self;
    const at = input.committer?.date === undefined ? forge.now() : new Date(input.committer.date);
    const sha = await writeCommit(paths(c), {
      tree,
      parents,
      message: input.message,
      author: dated,
      committer,
      at,
    });
    const commit = await readCommit(paths(c), sha);
    if (commit === undefined) throw forbidden('The commit cannot be read back.');
    return reply(c, gitCommitJson(forge, c.get('repository'), commit), 201);
  });
  return app;
}
