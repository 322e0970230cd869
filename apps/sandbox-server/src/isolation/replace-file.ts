import { renameSync, writeFileSync } from 'node:fs';

/**
 * Concurrent readers get the old content or the new one. Written in place, a sandbox that starts at that moment would get
 * half a seccomp filter, the kernel would refuse it, and the machine would be reported as unable to isolate.
 */
export function replaceFile(path: string, content: Uint8Array): void {
  const staged = `${path}.${process.pid}.new`;
  writeFileSync(staged, content);
  renameSync(staged, path);
}
