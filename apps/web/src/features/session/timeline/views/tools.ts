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

interface ToolWords {
  readonly icon: LucideIcon;
  readonly verb: string;
}

const known: Readonly<Record<string, ToolWords>> = {
  bash: { icon: SquareTerminal, verb: 'Ran' },
  shell: { icon: SquareTerminal, verb: 'Ran' },
  read: { icon: FileText, verb: 'Read' },
  edit: { icon: FilePen, verb: 'Edited' },
  write: { icon: FilePen, verb: 'Wrote' },
  patch: { icon: FilePen, verb: 'Patched' },
  apply_patch: { icon: FilePen, verb: 'Patched' },
  grep: { icon: Search, verb: 'Searched' },
  glob: { icon: FolderSearch, verb: 'Looked for' },
  list: { icon: FolderSearch, verb: 'Listed' },
  webfetch: { icon: Globe, verb: 'Fetched' },
  task: { icon: Bot, verb: 'Delegated' },
  todowrite: { icon: ListTodo, verb: 'Planned' },
  todoread: { icon: ListTodo, verb: 'Read the plan' },
};

export const describeTool = (tool: string): ToolWords =>
  known[tool.toLowerCase()] ?? { icon: Wrench, verb: tool };

const tones: Readonly<Record<ToolStatus, Tone>> = {
  completed: 'ok',
  failed: 'bad',
  refused: 'ask',
  interrupted: 'none',
};

/** Null while it runs. */
export const toolTone = (status: ToolStatus | null): Tone =>
  status === null ? 'busy' : tones[status];
