import type { FileEdit } from '@ship/protocol';
import * as z from 'zod';
import type { ToolSignal } from '../port.ts';
import { shipRefusal } from './refusals.ts';
import type { WirePart } from './wire.ts';

type WireTool = WirePart & { type: 'tool' };

const count = z.int().nonnegative().catch(0);
const edit = z.object({ file: z.string(), additions: count, deletions: count });

/** Metadata that the built-in tools report beside their output. Any field may be missing or have another shape. */
const Metadata = z.object({
  output: z.string().optional().catch(undefined),
  outputPath: z.string().optional().catch(undefined),
  exit: z.int().optional().catch(undefined),
  diff: z.string().optional().catch(undefined),
  /** Of `edit` and `write`. */
  filediff: edit.optional().catch(undefined),
  /** Of `apply_patch`. */
  files: z
    .array(z.object({ filePath: z.string(), additions: count, deletions: count }))
    .optional()
    .catch(undefined),
  /** Of `write`, which reports only the path. */
  filepath: z.string().optional().catch(undefined),
  /** Of `task`: the sub-agent's conversation. */
  sessionId: z.string().optional().catch(undefined),
});

export function toolSignal(part: WireTool): ToolSignal[] {
  const { state } = part;
  if (state.status === 'pending') return [];
  const metadata = Metadata.parse(state.metadata ?? {});
  const { start, end } = state.time;
  const refusal = state.status === 'error' ? shipRefusal(state.error) : null;
  return [
    {
      kind: 'tool',
      sessionId: part.sessionID,
      partId: part.id,
      callId: part.callID,
      tool: part.tool,
      title: 'title' in state ? (state.title ?? '') : '',
      input: state.input,
      status: refusal !== null ? 'refused' : state.status === 'error' ? 'failed' : state.status,
      output:
        state.status === 'completed'
          ? state.output
          : state.status === 'error'
            ? (refusal ?? state.error)
            : (metadata.output ?? ''),
      outputPath: metadata.outputPath ?? null,
      exitCode: metadata.exit ?? null,
      durationMs: end === undefined ? 0 : Math.max(0, end - start),
      edits: editsOf(metadata),
      diff: metadata.diff ?? '',
      childSessionId: part.tool === 'task' ? (metadata.sessionId ?? null) : null,
    },
  ];
}

function editsOf({ filediff, files, filepath }: z.infer<typeof Metadata>): FileEdit[] {
  if (files !== undefined) {
    return files.map(({ filePath, additions, deletions }) => ({
      path: filePath,
      additions,
      deletions,
    }));
  }
  if (filediff !== undefined) {
    const { file, additions, deletions } = filediff;
    return [{ path: file, additions, deletions }];
  }
  return filepath === undefined ? [] : [{ path: filepath, additions: 0, deletions: 0 }];
}
