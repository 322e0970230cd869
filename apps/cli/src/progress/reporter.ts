import type { DurableEnvelope, SessionState } from '@ship/protocol';
import type { WatchStatus } from '@ship/protocol/client';
import { renderBlock } from './block.ts';
import { eventLine } from './event-line.ts';
import { type RunningCommand, runningAfter } from './running-command.ts';
import { LiveBlock } from './terminal.ts';
import { duration } from './text.ts';

/** Shows a session's progress: a live block in a terminal, plain lines in a pipe, nothing with --json. */
export interface Reporter {
  events(events: readonly DurableEnvelope[], state: SessionState | undefined): void;
  connection(status: WatchStatus): void;
  /** Stops redrawing while a question waits for the user. */
  pause(): void;
  resume(): void;
  close(): void;
}

const REDRAW_MS = 100;

export function createReporter(json: boolean, stream: NodeJS.WriteStream): Reporter {
  if (json) return SILENT;
  return stream.isTTY ? terminalReporter(stream) : lineReporter(stream);
}

const nothing = () => undefined;
const SILENT: Reporter = {
  events: nothing,
  connection: nothing,
  pause: nothing,
  resume: nothing,
  close: nothing,
};

function lineReporter(stream: NodeJS.WriteStream): Reporter {
  return {
    ...SILENT,
    events: (events, state) => {
      for (const line of linesOf(events, state)) stream.write(`${line}\n`);
    },
  };
}

function terminalReporter(stream: NodeJS.WriteStream): Reporter {
  let block: LiveBlock | undefined = new LiveBlock(stream);
  let state: SessionState | undefined;
  let connection: WatchStatus | undefined;
  let running: RunningCommand | undefined;
  const draw = () => {
    const nowMs = Date.now();
    const columns = stream.columns || 80;
    block?.update(renderBlock({ state, connection, running, nowMs, columns }));
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    events: (events, newState) => {
      state = newState;
      for (const event of events) running = runningAfter(running, event);
      for (const line of linesOf(events, state)) {
        if (block === undefined) stream.write(`${line}\n`);
        else block.print(line);
      }
    },
    connection: (status) => {
      connection = status;
    },
    pause: () => {
      block?.close();
      block = undefined;
    },
    resume: () => {
      block ??= new LiveBlock(stream);
    },
    close: () => {
      clearInterval(timer);
      block?.close();
    },
  };
}

/** Each line starts with the time since the session's creation. */
function linesOf(events: readonly DurableEnvelope[], state: SessionState | undefined): string[] {
  return events.flatMap((event) => {
    const line = eventLine(event);
    if (line === undefined) return [];
    const since = duration(Math.max(0, event.at - (state?.createdAt ?? event.at)));
    return [`${since.padStart(10)}  ${line}`];
  });
}
