import { formatDuration } from '../../../ui/duration.ts';
import { newest } from './items.ts';
import { partKey } from './views/placement.ts';
import type { Item } from './items.ts';

export interface TurnSummary {
  readonly turnId: string;
  readonly durationMs: number;
  readonly tools: number;
  readonly files: number;
  readonly isOpen: boolean;
}

export type Row =
  | { readonly kind: 'item'; readonly key: string; readonly item: Item }
  | { readonly kind: 'summary'; readonly key: string; readonly summary: TurnSummary }
  | { readonly kind: 'live'; readonly key: string; readonly partId: string };

const itemRow = (item: Item): Row => ({ kind: 'item', key: item.key, item });

/** Groups consecutive entries of one turn, or of none. */
function segments(items: readonly Item[]): readonly (readonly [Item, ...Item[]])[] {
  const result: [Item, ...Item[]][] = [];
  for (const item of items) {
    const last = result.at(-1);
    if (last !== undefined && last[0].turnId === item.turnId) last.push(item);
    else result.push([item]);
  }
  return result;
}

const endOf = (items: readonly Item[]) =>
  items.map(newest).find((event) => event.type === 'turn.finished');

function summarize(
  turnId: string,
  items: readonly [Item, ...Item[]],
  isOpen: boolean,
): TurnSummary {
  const tools = items.filter(({ events: [first] }) => first.type === 'tool.started');
  const files = new Set(
    items.flatMap((item) => {
      const event = newest(item);
      return event.type === 'tool.finished' ? event.data.edits.map(({ path }) => path) : [];
    }),
  );
  const end = endOf(items);
  return {
    turnId,
    durationMs: (end?.at ?? newest(items[0]).at) - items[0].events[0].at,
    tools: tools.length,
    files: files.size,
    isOpen,
  };
}

/** An answer that is the proposed plan appears only as the plan, with its buttons. */
function isProposed(answer: Item, items: readonly Item[]): boolean {
  const said = newest(answer);
  return items.some(
    ({ events: [first] }) =>
      first.type === 'plan.proposed' &&
      said.type === 'text.finished' &&
      first.data.turnId === said.data.turnId &&
      first.data.text.trim() === said.data.text.trim(),
  );
}

/** Collapses a finished turn into one row between its prompt and its answer, until the user expands it. */
export function rowsOf(items: readonly Item[], isOpened: (turnId: string) => boolean): Row[] {
  return segments(items).flatMap((segment): Row[] => {
    const { turnId } = segment[0];
    const hasDetail = segment.some(({ weight }) => weight !== 'always');
    // A turn whose start is not loaded has no place for its summary row; show all of it.
    const isWhole = segment[0].events[0].type === 'turn.started';
    if (turnId === null || !isWhole || !hasDetail || endOf(segment) === undefined)
      return segment.map(itemRow);
    const isOpen = isOpened(turnId);
    const last = segment.findLast(({ weight }) => weight === 'answer');
    const answer = last !== undefined && isProposed(last, items) ? undefined : last;
    const [prompt, ...rest] = segment;
    const shown = isOpen
      ? rest
      : rest.filter((item) => item.weight === 'always' || item === answer);
    const summary = summarize(turnId, segment, isOpen);
    return [
      itemRow(prompt),
      { kind: 'summary', key: `summary:${turnId}`, summary },
      ...shown.map(itemRow),
    ];
  });
}

/** Adds streaming parts in the position that they will have when finished. A part that is in the log already is not added again. */
export function withLive(settled: readonly Row[], partIds: readonly string[]): readonly Row[] {
  const keys = new Set(settled.map(({ key }) => key));
  const live = partIds
    .map((partId): Row => ({ kind: 'live', key: partKey(partId), partId }))
    .filter(({ key }) => !keys.has(key));
  return live.length === 0 ? settled : [...settled, ...live];
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** "Worked for 4 min · 12 tool calls · 3 files changed" */
export function summaryText({ durationMs, tools, files }: TurnSummary): string {
  return [
    durationMs < 1000 ? 'Worked' : `Worked for ${formatDuration(durationMs)}`,
    ...(tools > 0 ? [counted(tools, 'tool call')] : []),
    ...(files > 0 ? [`${counted(files, 'file')} changed`] : []),
  ].join(' · ');
}
