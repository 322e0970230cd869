import type { FileDiff } from '@ship/protocol';

/** Longer diffs open on demand: one long file must not slow down the rest. */
const maxOpenLines = 400;

/** Generated files: lock files, snapshots, bundles and vendored code. */
const generated =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|[\w.-]+\.lock|pnpm-lock\.yaml|bun\.lockb|go\.sum|node_modules\/|vendor\/|dist\/|__snapshots__\/)|\.(min\.(js|css)|map|snap|pb\.go|gen\.ts)$|_pb2\.py$/;

/** Why a file's diff starts collapsed; null if it starts open. */
export function collapseReason({
  path,
  additions,
  deletions,
}: Pick<FileDiff, 'path' | 'additions' | 'deletions'>): 'generated' | 'large' | null {
  if (generated.test(path)) return 'generated';
  return additions + deletions > maxOpenLines ? 'large' : null;
}
