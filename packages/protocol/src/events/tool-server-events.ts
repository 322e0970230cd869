import * as z from 'zod';
import { TurnId } from '../ids.ts';

export const TOOL_SERVER_LIMITS = { servers: 40, reasonCharacters: 500 } as const;

/** A configured MCP server that the agent does not have. */
export const MissingServer = z.object({
  name: z.string().min(1).max(100),
  reason: z.string().min(1).max(TOOL_SERVER_LIMITS.reasonCharacters),
});
export type MissingServer = z.infer<typeof MissingServer>;

export const TOOL_SERVER_EVENTS = {
  'tool-servers.missed': {
    version: 1,
    data: z.object({
      turnId: TurnId,
      servers: z.array(MissingServer).min(1).max(TOOL_SERVER_LIMITS.servers),
    }),
  },
} as const;
