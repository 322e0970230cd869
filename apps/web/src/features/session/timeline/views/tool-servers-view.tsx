import { newest } from '../items.ts';
import { NoticeCard } from './frame.tsx';
import type { ViewProps } from './frame.tsx';

/** MCP servers that the agent works without. */
export function ToolServersView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'tool-servers.missed') return null;
  const { servers } = event.data;
  return (
    <NoticeCard
      tone="ask"
      title={
        servers.length === 1
          ? 'An MCP server is missing; the agent works without it'
          : `${servers.length} MCP servers are missing; the agent works without them`
      }
    >
      <ul>
        {servers.map(({ name, reason }) => (
          <li key={name}>
            <span className="font-mono text-xs text-ink">{name}</span>: {reason}
          </li>
        ))}
      </ul>
    </NoticeCard>
  );
}
