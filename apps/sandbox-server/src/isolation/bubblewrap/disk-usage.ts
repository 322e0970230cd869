/** Disk use of a sandbox: its named files, and deleted files that are still open. */
import { statfs } from 'node:fs/promises';
import type { FileOwner } from './file-owner.ts';
import type { HostTools } from './host-tools.ts';

/** The whole file system that holds the sandboxes: one cheap statfs call, however many files there are. */
export interface Space {
  usedBytes: number;
  freeBytes: number;
  usedInodes: number;
}

export async function readSpace(folder: string): Promise<Space> {
  const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(folder);
  return {
    usedBytes: (blocks - bfree) * bsize,
    freeBytes: bavail * bsize,
    usedInodes: files - ffree,
  };
}

async function du(owner: FileOwner, program: string, args: readonly string[]): Promise<number> {
  // Runs as the owner of all files: otherwise a folder of mode 000 would hide its contents.
  const { stdout } = await owner
    .run(program, ['-s', '-x', ...args])
    // du exits 1 when a file vanished while it ran, and prints the sum anyway.
    .catch((error: unknown) => {
      const printed = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
      // A failed measurement must not count as zero bytes.
      if (printed === '') throw error;
      return { stdout: printed };
    });
  return Number(stdout.split('\t')[0] ?? 0) || 0;
}

/** Allocated bytes below a folder. `du` is fast and counts a hard-linked file once; races with removals are ignored. */
export const namedBytes = (owner: FileOwner, tools: HostTools, folder: string): Promise<number> =>
  du(owner, tools.du, ['-B1', folder]);

export const namedInodes = (owner: FileOwner, tools: HostTools, folder: string): Promise<number> =>
  du(owner, tools.du, ['--inodes', folder]);

/**
 * Deleted files that a process holds open or mapped: no folder lists them, and they use space until it exits. Counts only
 * those on the file system of `/` inside: /tmp and the like are memory with their own size. A separate program, because a
 * sandbox can hold a million descriptors, which would block this one. Only root can read mappings (`map_files`).
 */
const UNNAMED = String.raw`
my ($init, @pids) = @ARGV;
my ($root) = stat("/proc/$init/root/.") or exit 0;
my (%seen, $blocks);
for my $pid (@pids) {
  for my $kind ('fd', 'map_files') {
    opendir(my $folder, "/proc/$pid/$kind") or next;
    while (defined(my $name = readdir $folder)) {
      next if $name =~ /^\./;
      my @file = stat("/proc/$pid/$kind/$name") or next;
      next if $file[0] != $root || $file[3] != 0 || $seen{$file[1]}++;
      $blocks += $file[12];
    }
  }
}
print 512 * ($blocks || 0);
`;

export async function unnamedBytes(
  owner: FileOwner,
  tools: HostTools,
  init: number,
  pids: readonly number[],
): Promise<number> {
  const args = ['-e', UNNAMED, String(init), ...pids.map(String)];
  const { stdout } = await owner.run(tools.perl, args);
  return Number(stdout) || 0;
}
