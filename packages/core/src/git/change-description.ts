import { closingLines } from '../verify/closing-lines.ts';
import { withoutEstimate } from '../verify/own-estimate.ts';

/** Derives the name of a change from the agent's summary. Identifiers stay unchanged. */

const REGULAR =
  'accept add adjust align allow apply avoid bring bump cache calculate call change check clamp clarify clean compute configure convert correct count cover create delete disable document drop enable ensure escape explain export expose extend extract fix format guard handle hide ignore implement import improve increase inline introduce let limit link log map mark merge migrate modify move optimise optimize parse pass preserve prevent print raise read reduce reject render report require reset reuse refactor remove rename repair replace resolve restore return revert rework round show simplify skip sort speed stop store sum support switch teach test tighten track trim unify update upgrade use validate wrap'.split(
    ' ',
  );
const IRREGULAR: readonly (readonly [string, string])[] = [
  ['made', 'make'],
  ['makes', 'make'],
  ['wrote', 'write'],
  ['writes', 'write'],
  ['rewrote', 'rewrite'],
  ['kept', 'keep'],
  ['keeps', 'keep'],
  ['built', 'build'],
  ['split', 'split'],
  ['set', 'set'],
  ['brought', 'bring'],
  ['taught', 'teach'],
  ['sped', 'speed'],
];

/** The imperative for each form in which an agent reports a verb. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ...REGULAR.flatMap((verb) => forms(verb).map((form) => [form, verb] as const)),
  ...IRREGULAR,
]);

function forms(verb: string): string[] {
  if (verb.endsWith('e')) return [verb, `${verb}d`, `${verb}s`];
  if (verb.endsWith('y') && !/[aeo]y$/.test(verb))
    return [verb, `${verb.slice(0, -1)}ied`, `${verb.slice(0, -1)}ies`];
  const isSibilant = /(?:s|x|sh|ch)$/.test(verb);
  // "drop" becomes "dropped", "add" and "return" do not double their last letter.
  const isDoubled = /^(?:drop|stop|map|skip|wrap|log|sum|let|trim)$/.test(verb);
  const past = isDoubled ? `${verb}${verb.at(-1) ?? ''}ed` : `${verb}ed`;
  return [verb, past, isSibilant ? `${verb}es` : `${verb}s`];
}

/** Sentences that say nothing about the change. */
const FILLER =
  /^(?:(?:all )?done|all set|great|perfect|ok(?:ay)?|sure|summary|finished|fixed|changes?|what changed|success\w*|it works(?: now)?|(?:all|the)? ?(?:\d+ )?tests? (?:now |all )?(?:pass|succeed|are green)\b.*|here(?:'s|’s| is| are)\b.*|let me\b.*|i(?:'ll|’ll| will)\b.*|(?:i|we)(?:'ve|’ve| have)? (?:looked|reviewed|checked|read|explored|ran|run|verified|finished|completed)\b.*)$/i;
const LEAD_IN =
  /^(?:(?:now|also|finally|first|so|done)[,:]?\s+)?(?:(?:i|we)(?:'ve|’ve| have)?|this (?:change|commit|pull request|pr))\s+(?:(?:now|also|just|successfully)\s+)?(?=[a-z])/i;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no)$/i;
const MAX_READ = 4_000;
const MAX_SENTENCES = 8;

/** The agent's description of its change, in the imperative; null when the text does not contain one. */
export function describeChange(summary: string): string | null {
  const { change, rest } = closingLines(clean(summary));
  if (change !== null) {
    const words = ended(unmarked(change));
    if (/\p{L}/u.test(words)) return imperative(words);
  }
  for (const sentence of sentences(withoutEstimate(rest)).slice(0, MAX_SENTENCES)) {
    if (FILLER.test(sentence) || sentence.endsWith('?')) continue;
    const words = ended(sentence.replace(LEAD_IN, ''));
    if (/\S\s+\S/.test(words)) return imperative(words);
  }
  return null;
}

/** Lines and sentences without Markdown marks and without code blocks. */
function sentences(text: string): string[] {
  const prose = text.slice(0, MAX_READ).replaceAll(/^(`{3,}|~{3,})[^]*?^\1.*$/gm, '');
  return prose
    .split('\n')
    .map((line) => unmarked(line.replace(/^[\s>#]*(?:[-*+]|\d+[.)])?\s+|^[>#]+\s*/, '').trim()))
    .flatMap(split)
    .filter((sentence) => sentence !== '');
}

function split(line: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { index } of line.matchAll(/[.!?](?=\s|$)/g)) {
    if (ABBREVIATION.test(line.slice(from, index))) continue;
    const mark = line.charAt(index) === '?' ? '?' : '';
    found.push(line.slice(from, index).trim() + mark);
    from = index + 1;
  }
  return [...found, line.slice(from).trim()];
}

/**
 * Removes Markdown marks around words. A mark within a word, or at one end only, belongs to an identifier: `__init__`,
 * `*args`, `a*b` and `snake_case` stay.
 */
function unmarked(text: string): string {
  return text
    .replaceAll(/\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replaceAll(/`([^`]+)`/g, '$1')
    .replaceAll(/(^|[\s(])\*\*(?=\S)([^*]{1,300}?\S)\*\*(?=[\s).,;:!?]|$)/g, '$1$2')
    .trim();
}

function imperative(words: string): string {
  const [first = ''] = /^[A-Za-z]+(?=\s)/.exec(words) ?? [];
  const verb = VERBS.get(first.toLowerCase());
  // No imperative for an identifier that only starts like a verb.
  return verb === undefined ? words : verb + words.slice(first.length);
}

/** The known verb that the text begins with; null without one. */
export function verbOf(words: string): string | null {
  const [first = ''] = /^[a-z]+(?=\s)/.exec(words) ?? [];
  return VERBS.get(first) ?? null;
}

function ended(text: string): string {
  return text.replace(/[\s:,;.!]+$/, '');
}

/** Control characters would break git's own parsing of a message, or a reader's terminal. */
export function clean(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (char) => (char === '\n' ? '\n' : ' '))
    .trim();
}
