import {
  Bot,
  FilePen,
  FileText,
  FolderSearch,
  Globe,
  ListTodo,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ToolStatus } from '@ship/protocol';
import type { Tone } from '../../../../ui/tone.tsx';

interface ToolLabels {
  readonly icon: LucideIcon;
  readonly verb: string;
  /** Shown while the tool runs. */
  readonly running: string;
}

const known: Readonly<Record<string, ToolLabels>> = {
  bash: { icon: SquareTerminal, verb: 'Ran', running: 'Running' },
  shell: { icon: SquareTerminal, verb: 'Ran', running: 'Running' },
  read: { icon: FileText, verb: 'Read', running: 'Reading' },
  edit: { icon: FilePen, verb: 'Edited', running: 'Editing' },
  write: { icon: FilePen, verb: 'Wrote', running: 'Writing' },
  patch: { icon: FilePen, verb: 'Patched', running: 'Patching' },
  apply_patch: { icon: FilePen, verb: 'Patched', running: 'Patching' },
  grep: { icon: Search, verb: 'Searched', running: 'Searching' },
  glob: { icon: FolderSearch, verb: 'Looked for', running: 'Looking for' },
  list: { icon: FolderSearch, verb: 'Listed', running: 'Listing' },
  webfetch: { icon: Globe, verb: 'Fetched', running: 'Fetching' },
  task: { icon: Bot, verb: 'Delegated', running: 'Delegating' },
  todowrite: { icon: ListTodo, verb: 'Planned', running: 'Planning' },
  todoread: { icon: ListTodo, verb: 'Read the plan', running: 'Reading the plan' },
};

export const describeTool = (tool: string): ToolLabels =>
  known[tool.toLowerCase()] ?? { icon: Wrench, verb: tool, running: tool };

const tones: Readonly<Record<ToolStatus, Tone>> = {
  completed: 'ok',
  failed: 'bad',
  refused: 'ask',
  interrupted: 'none',
};

/** Null while the tool runs. */
export const toolTone = (status: ToolStatus | null): Tone =>
  status === null ? 'busy' : tones[status];

const subjectKeys = [
  'command',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'description',
] as const;

/** The subject of a call: its title or, without one, the most telling field of its input. */
export function toolSubject(title: string, input: string): string {
  if (title !== '') return title;
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed !== 'object' || parsed === null) return '';
    const given = parsed as Record<string, unknown>;
    const found = subjectKeys.map((key) => given[key]).find((value) => typeof value === 'string');
    return typeof found === 'string' ? (found.split('\n')[0] ?? '') : '';
  } catch {
    return '';
  }
}
