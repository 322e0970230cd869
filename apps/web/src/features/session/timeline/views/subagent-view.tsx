import { Bot } from 'lucide-react';
import { newest } from '../items.ts';
import { Line } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

export function SubagentView({ item }: ViewProps) {
  const [first] = item.events;
  const last = newest(item);
  if (first.type !== 'subagent.started') return null;
  const end = last.type === 'subagent.finished' ? last.data.status : 'working';
  return (
    <Line icon={Bot}>
      Subagent: {first.data.title} ({end})
    </Line>
  );
}
