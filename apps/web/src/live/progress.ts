import type { LiveMessage, WorkspaceChange } from '@ship/protocol';

/** How far this page has followed the workspace's numbered changes. */
export interface Progress {
  readonly workspaceId: string | null;
  /** Null before the first greeting. */
  readonly version: number | null;
}

interface Step {
  readonly progress: Progress;
  readonly changes: readonly WorkspaceChange[];
  /** What was read before no longer follows from the changes: read it again. */
  readonly mustReload: boolean;
}

export const unconnected: Progress = { workspaceId: null, version: null };

/** One message of the live socket. A version that is missing means lost changes; one that is known means a repeat. */
export function advance(progress: Progress, message: LiveMessage): Step {
  switch (message.type) {
    case 'hello': {
      const isSame = progress.workspaceId === message.workspaceId && progress.version !== null;
      return {
        progress: isSame
          ? progress
          : { workspaceId: message.workspaceId, version: message.version },
        changes: [],
        // Lists may have been read before the socket was open; whatever happened in between is not told.
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
      const news = message.changes.filter(({ version }) => version > known);
      const newest = news.at(-1)?.version ?? known;
      return {
        progress: { ...progress, version: newest },
        changes: news.map(({ change }) => change),
        mustReload: newest - known !== news.length,
      };
    }
  }
}
