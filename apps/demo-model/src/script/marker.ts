/**
 * A compaction replaces the conversation with a summary by this server. The summary contains the task and the number of
 * steps; otherwise a script would restart after each compaction and never end.
 */
import { z } from 'zod';
import type { Message } from '../conversation.ts';

const LINE = /^- Scripted model state: (\{.*\})$/gm;
const state = z.object({ prompt: z.string(), steps: z.number().int().min(0) });

export interface Marker {
  index: number;
  prompt: string;
  steps: number;
}

export function markerLine(prompt: string, steps: number): string {
  return `- Scripted model state: ${JSON.stringify({ prompt, steps })}`;
}

export function parseMarker(text: string): { prompt: string; steps: number } | null {
  // A summary may quote an earlier one; the last line counts.
  const json = [...text.matchAll(LINE)].at(-1)?.[1];
  if (json === undefined) return null;
  try {
    return state.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

export function readMarker(messages: Message[]): Marker | null {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const found = parseMarker(message.text);
    if (found !== null) return { index, ...found };
  }
  return null;
}
