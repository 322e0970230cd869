/** Classifies a prompt by keywords. Pure. */

export type Intent = 'fix' | 'document' | 'answer' | 'other';

const FIX =
  /\b(fix|mend|repair|debug|bug|bugs|fail|fails|failing|failed|failure|broken|breaks|wrong|incorrect|error|crash|crashes|regression|red|off[- ]by[- ]one|make .*tests? pass|run .*tests?)\b/i;
const DOCUMENT =
  /\b(readme|docs?|document|documentation|contributing|changelog|comment|explain in)\b/i;
const QUESTION =
  /^(what|why|how|where|which|who|when|is|are|does|do|can you (explain|tell)|explain|describe|summari[sz]e|list|show)\b/i;
const CHANGE =
  /\b(add|change|create|fix|implement|make|remove|rename|replace|update|write|refactor|improve|delete|move|support)\b/i;

export function intentOf(prompt: string): Intent {
  const question = QUESTION.test(prompt.trim()) || /\?\s*$/.test(prompt);
  if (question && !CHANGE.test(prompt)) return 'answer';
  if (FIX.test(prompt)) return 'fix';
  return DOCUMENT.test(prompt) ? 'document' : 'other';
}

const STOP_WORDS = new Set(
  'about above after again also another because been before being below between both could does doing down each every from have having here into just like make more most must need only other over please same should some such than that their them then there these they this those through under until very want were what when where which while will with would your code file files project repository'.split(
    ' ',
  ),
);
const MAX_KEYWORDS = 4;

/** Search terms for related code, the longest first, as they are the most specific. */
export function keywordsOf(prompt: string): string[] {
  const words = prompt.toLowerCase().match(/[a-z][a-z0-9_]{3,}/g) ?? [];
  return [...new Set(words.filter((word) => !STOP_WORDS.has(word) && !CHANGE.test(word)))]
    .sort((a, b) => b.length - a.length || a.localeCompare(b))
    .slice(0, MAX_KEYWORDS);
}

const MAX_QUOTE = 300;

/** The prompt as one line, shortened for a document. */
export function quote(prompt: string, max = MAX_QUOTE): string {
  const line = prompt.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}
