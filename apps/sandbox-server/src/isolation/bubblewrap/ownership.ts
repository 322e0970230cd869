/** Hands a new layer to the uids that sandboxes are on the host. */
import { lchown, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_BASE, USER_UID } from './identity.ts';

export async function giveLayer(root: string): Promise<void> {
  await giveTree(root, FILE_BASE);
  await giveTree(join(root, 'home/user'), FILE_BASE + USER_UID);
}

async function giveTree(path: string, uid: number): Promise<void> {
  await lchown(path, uid, uid);
  for await (const entry of await opendir(path)) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, uid);
    else await lchown(child, uid, uid);
  }
}
