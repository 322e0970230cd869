import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { formatBytes, formatMs } from '../../../../ui/format.ts';
import { ToneGlyph } from '../../../../ui/tone.tsx';
import { useLiveText } from '../../feed/use-feed.ts';
import { ChangedLines } from '../../../sessions/session-facts.tsx';
import { OpenInEditor } from '../../drawer/editor/open-in-editor.tsx';
import { newest } from '../items.ts';
import { DiffText } from './diff-text.tsx';
import type { ViewProps } from './frame.tsx';
import { OutputText } from './output-text.tsx';
import { plainOutput, tailLines } from './output.ts';
import { describeTool, toolSubject, toolTone } from './tools.ts';

/** A tool call in one row; its output shows while it runs and when expanded. */
export function ToolView({ item }: ViewProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [first] = item.events;
  const last = newest(item);
  if (first.type !== 'tool.started' && first.type !== 'tool.finished') return null;
  const { partId, tool, subagentId } = first.data;
  const finished = last.type === 'tool.finished' ? last.data : null;
  const title = toolSubject(
    finished?.title ?? first.data.title,
    first.type === 'tool.started' ? first.data.input : '',
  );
  const { icon: Icon, verb, running } = describeTool(tool);
  // The tool succeeded, but the command that it ran failed.
  const hasFailed = (finished?.exitCode ?? 0) !== 0;
  const edits = finished?.edits ?? [];
  const additions = edits.reduce((sum, edit) => sum + edit.additions, 0);
  const deletions = edits.reduce((sum, edit) => sum + edit.deletions, 0);
  return (
    <div className={cx('py-0.5', subagentId !== null && 'border-l-2 border-line pl-3')}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen((before) => !before)}
        className="group -mx-1.5 flex w-[calc(100%+0.75rem)] items-center gap-2 rounded-md px-1.5 py-1 text-left text-sm text-muted transition-colors hover:bg-hover hover:text-ink"
      >
        <Icon aria-hidden className="size-3.5 shrink-0" />
        <span className="shrink-0">{finished === null ? running : verb}</span>
        <code className="min-w-0 flex-1 truncate font-mono text-ink">{title}</code>
        {additions + deletions > 0 && <ChangedLines additions={additions} deletions={deletions} />}
        {hasFailed && <span className="text-xs text-bad">exit {finished?.exitCode}</span>}
        {finished !== null && finished.durationMs >= 1000 && (
          <span className="text-xs tabular-nums">{formatMs(finished.durationMs)}</span>
        )}
        <ToneGlyph tone={hasFailed ? 'bad' : toolTone(finished?.status ?? null)} />
        <span className="sr-only">{finished?.status ?? 'running'}</span>
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      {finished === null && <LiveOutput partId={partId} />}
      {isOpen && (
        <div className="mt-1 mb-2 space-y-2 pl-5.5">
          {first.type === 'tool.started' && (
            <OutputText label="Input" text={prettyInput(first.data.input)} />
          )}
          {edits.map(({ path }) => (
            <p key={path} className="flex items-center font-mono text-xs break-all">
              {path} <OpenInEditor path={path} line={1} />
            </p>
          ))}
          {finished !== null && finished.diff !== '' && <DiffText diff={finished.diff} />}
          {finished !== null && finished.output !== '' && (
            <OutputText label="Output" text={plainOutput(finished.output)} />
          )}
          {finished !== null && finished.outputBytes > finished.output.length + 16 && (
            <p className="text-xs text-muted">
              Truncated · full output: {formatBytes(finished.outputBytes)}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

const shownLines = 12;

function LiveOutput({ partId }: { readonly partId: string }) {
  const text = useLiveText(partId);
  if (text === undefined || text === '') return null;
  return (
    <pre className="mt-1 ml-5.5 overflow-hidden rounded-lg border border-line bg-rail px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap text-muted">
      {tailLines(plainOutput(text), shownLines)}
    </pre>
  );
}

function prettyInput(input: string): string {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length === 0)
      return '';
    return JSON.stringify(parsed, null, 2);
  } catch {
    return input;
  }
}
