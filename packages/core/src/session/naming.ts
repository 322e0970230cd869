import type { SessionState } from '@ship/protocol';

const MAX_TASK_CHARS = 4_000;
const MAX_TITLE = 80;
/** A longer line is not a title: the model ignored its instructions. */
const MAX_LINE = 200;
/** How much of the answer is searched for a title. */
const MAX_READ = 2_000;

const SYSTEM = `You are a title generator. You get a task for a programmer and answer with a title for it, and with nothing else: one line, at most 50 characters, in the language of the task, in the imperative ("Fix the last page of the list"), without quotation marks, without a full stop. You never carry the task out.`;

/** Whether to generate a title: once, in the first turn, and only if the user set none. */
export function needsTitle({ titledBy, turnsFinished }: SessionState): boolean {
  return titledBy === 'prompt' && turnsFinished === 0;
}

export function titlePrompt(prompt: string): { system: string; text: string } {
  const task = prompt.slice(0, MAX_TASK_CHARS).toWellFormed();
  return { system: SYSTEM, text: `Generate a short title for this task:\n\n${task}` };
}

/** Extracts the title from a model's answer; null without one. */
export function parseTitle(said: string): string | null {
  // Some models write their thinking before the answer.
  const spoken = said.split(/<\/think(?:ing)?>/i).at(-1) ?? '';
  const [line = ''] = spoken
    .slice(0, MAX_READ)
    .split(/[\r\n\u2028\u2029]+/)
    .map(plain)
    .filter((text) => text !== '');
  if (line.length > MAX_LINE || !/\p{L}/u.test(line)) return null;
  if (line.length <= MAX_TITLE) return line;
  const kept = line.slice(0, MAX_TITLE - 1).toWellFormed();
  const space = kept.lastIndexOf(' ');
  return `${space > MAX_TITLE / 2 ? kept.slice(0, space) : kept}…`;
}

const LABEL = /^(?:title|titel|titre|título)\s*[:–-]\s*/i;
/** One pair of quotes or marks around the whole text, without further ones inside. */
const WRAPPED = /^(?:"([^"]*)"|'([^']*)'|`([^`]*)`|“([^“”]*)”|«([^«»]*)»|\*([^]*)\*|_([^_]*)_)$/;

/** Removes marks, quotes and labels that models put around a title despite the instructions. */
function plain(line: string): string {
  let text = line.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').replace(/^[\s#>-]+/, '');
  for (let before = ''; before !== text;) {
    before = text;
    text = text
      .trim()
      .replace(LABEL, '')
      .replace(/[\s.]+$/, '');
    text =
      WRAPPED.exec(text)
        ?.slice(1)
        .find((inner) => inner !== undefined) ?? text;
  }
  return text;
}
