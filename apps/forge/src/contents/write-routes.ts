import { Hono } from 'hono';
import * as z from 'zod';
import { gitCommitJson } from '../commits/to-json.ts';
import type { Forge } from '../forge.ts';
import { isObjectId } from '../git/ref-names.ts';
import { isTreePath } from '../git/trees.ts';
import { bodyText, readJson } from '../http/body.ts';
import { type Env, type ForgeContext, requireWrite, textParam } from '../http/context.ts';
import { unprocessable } from '../http/errors.ts';
import { reply } from '../http/respond.ts';
import { signature } from './git-data-routes.ts';
import { entryJson } from './to-json.ts';
import { writeFile, type WrittenFile } from './write-file.ts';

const base64 = z
  .string()
  .transform((text) => text.replaceAll(/\s/g, ''))
  .refine((text) => z.base64().safeParse(text).success, 'is not valid Base64')
  .transform((text) => Buffer.from(text, 'base64'));

const change = z.object({
  message: bodyText.min(1),
  branch: z.string().min(1).optional(),
  author: signature.optional(),
  committer: signature.optional(),
});
const blobSha = z.string().refine(isObjectId, 'is not an object id');
const newContent = change.extend({ content: base64, sha: blobSha.optional() });
const removal = change.extend({ sha: blobSha });

const pathOf = (c: ForgeContext): string => {
  const path = textParam(c, 'path');
  if (!isTreePath(path)) throw unprocessable('path is not a path inside the repository');
  return path;
};

/** Single files, written without a clone. */
export function contentWriteRoutes(forge: Forge): Hono<Env> {
  const app = new Hono<Env>();
  const answer = (c: ForgeContext, { commit, branch, entry, isNew }: WrittenFile) => {
    const repository = c.get('repository');
    const content = entry === null ? null : entryJson(forge, repository, entry, entry.path, branch);
    const body = { content, commit: gitCommitJson(forge, repository, commit) };
    return reply(c, body, entry !== null && isNew ? 201 : 200);
  };
  app.put('/contents/:path{.+}', async (c) => {
    requireWrite(c);
    const path = pathOf(c);
    const { content, sha, branch, author, committer, message } = await readJson(
      c,
      'Content',
      newContent,
    );
    const input = { path, content, sha, branch, author, committer, message };
    return answer(c, await writeFile(forge, c, input));
  });
  app.delete('/contents/:path{.+}', async (c) => {
    requireWrite(c);
    const path = pathOf(c);
    const { sha, branch, author, committer, message } = await readJson(c, 'Content', removal);
    const input = { path, content: null, sha, branch, author, committer, message };
    return answer(c, await writeFile(forge, c, input));
  });
  return app;
}
