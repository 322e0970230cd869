import type { FileDiff } from '@ship/protocol';

/** More is read on demand: one long file must not hold up the rest. */
const openedUpToLines = 400;

/** Written by tools for tools: locks, snapshots, bundles and what was copied in from elsewhere. */
const generated =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|[\w.-]+\.lock|pnpm-lock\.yaml|bun\.lockb|go\.sum|node_modules\/|vendor\/|dist\/|__snapshots__\/)|\.(min\.(js|css)|map|snap|pb\.go|gen\.ts)$|_pb2\.py$/;

/** Why a file's change is not opened by itself; null when it is. */
export function closedBecause({
  path,
  additions,
  deletions,
}: Pick<FileDiff, 'path' | 'additions' | 'deletions'>): 'generated' | 'large' | null {
  if (generated.test(path)) return 'generated';
  return additions + deletions > openedUpToLines ? 'large' : null;
}
