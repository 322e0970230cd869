/** Derives a title from the prompt, so that a list of demo sessions is readable. */
const MAX_TITLE_LENGTH = 60;
const MIN_CLAUSE_LENGTH = 12;
const TITLE_REQUEST = /^Generate a (short |brief |concise )?title[^\n]*\n?/i;
const COURTESY =
  /^((hi|hello|hey|please|could you|can you|would you|i want you to|i would like you to|let's)[\s,]+)+/i;

export function titleFor(userText: string): string {
  const line =
    userText
      .replace(TITLE_REQUEST, '')
      .split('\n')
      .map((text) => text.replace(/^[#>*\s"'`]+|["'`\s]+$/g, ''))
      .find((text) => text !== '') ?? '';
  const plain = line.replace(COURTESY, '').replace(/[\s.!?,;:]+$/, '');
  if (plain === '') return 'Demo session';
  // An identifier such as `total_cents()` keeps its case.
  const isWord = /^\p{L}+(?=[\s,.:;!?]|$)/u.test(plain);
  return shorten(isWord ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain);
}

function shorten(text: string): string {
  if (text.length <= MAX_TITLE_LENGTH) return text;
  // Prefer to cut between clauses.
  const clause = /^(.+?)[,;:.](?=\s)/.exec(text.slice(MIN_CLAUSE_LENGTH))?.[1];
  const end = MIN_CLAUSE_LENGTH + (clause?.length ?? MAX_TITLE_LENGTH);
  if (end <= MAX_TITLE_LENGTH) return text.slice(0, end);
  const cut = text.slice(0, MAX_TITLE_LENGTH + 1);
  const space = cut.lastIndexOf(' ');
  return (
    space > MAX_TITLE_LENGTH / 2 ? cut.slice(0, space) : cut.slice(0, MAX_TITLE_LENGTH)
  ).trim();
}
