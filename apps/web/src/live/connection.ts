import { LiveMessage } from '@ship/protocol';
import type { WorkspaceChange } from '@ship/protocol';
import { advance, disconnected } from './progress.ts';
import type { Progress } from './progress.ts';
import { keepConnected } from './reconnecting-socket.ts';
import type { Socket } from './reconnecting-socket.ts';

interface Options {
  readonly open?: (path: string) => Socket;
  readonly onChange: (change: WorkspaceChange) => void;
  readonly onReload: () => void;
  /** Called whenever the connection closes or fails: the sign-in may have ended. */
  readonly onLost?: () => void;
  readonly random?: () => number;
}

/** Follows the workspace across reconnects until it is closed. */
export function followWorkspace({ onChange, onReload, onLost, ...rest }: Options) {
  let progress: Progress = disconnected;
  return keepConnected({
    ...rest,
    onState: (state) => {
      if (state === 'waiting') onLost?.();
    },
    path: () => `/api/live${progress.version === null ? '' : `?after=${progress.version}`}`,
    onMessage: (message) => {
      const parsed = LiveMessage.safeParse(message);
      if (!parsed.success) return false;
      const step = advance(progress, parsed.data);
      progress = step.progress;
      if (step.mustReload) onReload();
      else step.changes.forEach(onChange);
      return true;
    },
  });
}
