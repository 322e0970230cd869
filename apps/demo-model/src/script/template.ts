/** Replaces `{{folder}}`, `{{prompt}}`, `{{match.1}}` and `{{result.0}}` in the texts of a step. */
import type { Reply, Result, Turn } from './script.ts';

export function fillReply(reply: Reply, turn: Turn, results: Result[]): Reply {
  const fill = (text: string): string => fillText(text, turn, results);
  return {
    ...reply,
    think: reply.think === undefined ? undefined : fill(reply.think),
    say: reply.say === undefined ? undefined : fill(reply.say),
    calls: reply.calls?.map((call) => ({
      tool: call.tool,
      input: Object.fromEntries(
        Object.entries(call.input).map(([key, value]) => [key, fillDeep(value, fill)]),
      ),
    })),
  };
}

/** Unknown names are kept: they may belong to a file that the script writes. */
function fillText(text: string, turn: Turn, results: Result[]): string {
  return text.replace(/\{\{(\w+)(?:\.(\d+))?\}\}/g, (whole, name: string, index?: string) => {
    if (name === 'folder' && index === undefined) return turn.folder ?? '.';
    if (name === 'prompt' && index === undefined) return turn.prompt;
    if (name === 'match') return turn.match[Number(index ?? 0)] ?? '';
    if (name === 'result') return results[Number(index ?? 0)]?.text ?? '';
    return whole;
  });
}

function fillDeep(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, fill));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fillDeep(item, fill)]),
    );
  }
  return value;
}
