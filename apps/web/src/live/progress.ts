import type { LiveMessage, WorkspaceChange } from '@ship/protocol';

/** The last workspace change that this page has applied. */
export interface Progress {
  readonly workspaceId: string | null;
  /** Null before the first hello. */
  readonly version: number | null;
}

interface Step {
  readonly progress: Progress;
  readonly changes: readonly WorkspaceChange[];
  /** The page can no longer catch up with changes alone: refetch. */
  readonly mustReload: boolean;
}

export const disconnected: Progress = { workspaceId: null, version: null };

/** Applies one message of the live socket. A missing version means lost changes; a known version is a repeat. */
export function advance(progress: Progress, message: LiveMessage): Step {
  switch (message.type) {
    case 'hello': {
      const isSame = progress.workspaceId === message.workspaceId && progress.version !== null;
      return {
        progress: isSame
          ? progress
          : { workspaceId: message.workspaceId, version: message.version },
        changes: [],
        // Lists may have been read before the socket opened, and changes in between were not sent.
        mustReload: !isSame || (progress.version ?? 0) > message.version,
      };
    }
    case 'reset':
      return {
        progress: { ...progress, version: message.version },
        changes: [],
        mustReload: true,
      };
    case 'changes': {
      const known = progress.version ?? 0;
      const unseen = message.changes.filter(({ version }) => version > known);
      const newest = unseen.at(-1)?.version ?? known;
      return {
        progress: { ...progress, version: newest },
        changes: unseen.map(({ change }) => change),
        mustReload: newest - known !== unseen.length,
      };
    }
  }
}
