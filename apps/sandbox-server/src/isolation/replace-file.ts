import { renameSync, writeFileSync } from 'node:fs';

/**
 * Who reads the file meanwhile has the old content or the new one. Written in place, a sandbox that starts at that moment
 * would get half a system-call filter and be refused by the kernel, and the machine be taken for one that cannot isolate.
 */
export function replaceFile(path: string, content: Uint8Array): void {
  const staged = `${path}.${process.pid}.new`;
  writeFileSync(staged, content);
  renameSync(staged, path);
}
