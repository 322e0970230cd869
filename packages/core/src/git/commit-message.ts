import type { SessionId, TurnId } from '@ship/protocol';

export interface Person {
  name: string;
  email: string;
}

export interface CommitFacts {
  sessionId: SessionId;
  turnId: TurnId | null;
  /** What the person asked for. */
  prompt: string;
  /** What the agent said it did, where there is such a text. */
  summary: string | null;
  /** Paths with their status, as far as they matter for the type: a cut list will do. */
  files: readonly { path: string; status: 'added' | 'other' }[];
  agent: Person;
}

const MAX_SUBJECT = 72;
const MAX_BODY_LINE = 72;
const MAX_BODY = 2_000;

/** A conventional commit about the work: type, scope, subject; then the agent's words; then who and for which turn. */
export function commitMessage(facts: CommitFacts): string {
  const body = facts.summary === null ? '' : wrap(clean(facts.summary).slice(0, MAX_BODY));
  const trailers = [
    `Ship-Session: ${facts.sessionId}`,
    ...(facts.turnId === null ? [] : [`Ship-Turn: ${facts.turnId}`]),
    `Co-authored-by: ${trailerText(facts.agent.name)} <${trailerText(facts.agent.email)}>`,
  ];
  return [commitSubject(facts), body, trailers.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function commitSubject(facts: Pick<CommitFacts, 'prompt' | 'summary' | 'files'>): string {
  // The agent often writes a conventional subject itself; it knows best.
  const said = firstSentence(facts.summary ?? '');
  if (CONVENTIONAL.test(said)) return cut(said, MAX_SUBJECT);
  const scope = scopeOf(facts.files.map(({ path }) => path));
  const head = `${typeOf(facts)}${scope === '' ? '' : `(${scope})`}: `;
  const words = firstSentence(facts.prompt) || said || 'work of the agent';
  return cut(head + lowerFirst(words), MAX_SUBJECT);
}

const TYPES = 'feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert';
const CONVENTIONAL = new RegExp(`^(${TYPES})(\\([\\w./-]+\\))?!?: \\S`);

function typeOf({ prompt, files }: Pick<CommitFacts, 'prompt' | 'files'>): string {
  const all = (pattern: RegExp) =>
    files.length > 0 && files.every(({ path }) => pattern.test(path));
  if (all(/(^|\/)(docs\/|.*\.(md|mdx|rst|adoc)$)/i)) return 'docs';
  if (all(/(^|\/)(tests?|__tests__|spec)\/|[._-](test|spec)\.\w+$/i)) return 'test';
  if (all(/(^|\/)\.(github|gitlab|circleci)\//)) return 'ci';
  if (all(/(^|\/)(package(-lock)?\.json|[\w.-]*lock[\w.-]*|Dockerfile|Makefile|go\.(mod|sum))$/))
    return 'build';
  const text = prompt.toLowerCase();
  if (/\b(fix|bug|broken|crash|fail(s|ing|ure)?|error|regression|wrong)\b/.test(text)) return 'fix';
  if (/\b(refactor|clean ?up|simplify|rename|restructure|extract)\b/.test(text)) return 'refactor';
  if (/\b(faster|performance|speed|optimi[sz]e|slow)\b/.test(text)) return 'perf';
  if (/\b(add|implement|create|support|build|introduce|new)\b/.test(text)) return 'feat';
  return files.some(({ status }) => status === 'added') ? 'feat' : 'chore';
}

/** The one package or folder that all files are in. */
function scopeOf(paths: readonly string[]): string {
  const scopes = new Set(
    paths.map((path) => {
      const parts = path.split('/');
      if (parts.length < 2) return '';
      return /^(apps|packages|libs|crates|services|modules)$/.test(parts[0] ?? '') &&
        parts.length > 2
        ? (parts[1] ?? '')
        : (parts[0] ?? '');
    }),
  );
  const [only = ''] = scopes;
  const isTelling = /^[a-z0-9][\w-]{0,24}$/i.test(only) && !/^(src|lib|app)$/i.test(only);
  return scopes.size === 1 && isTelling ? only.toLowerCase() : '';
}

/** The first line of text that says something, without Markdown's marks, up to the end of its sentence. */
export function firstSentence(text: string): string {
  const line = clean(text)
    .split('\n')
    .map((one) => one.replace(/^[\s#>*_`-]+/, '').trim())
    .find((one) => one !== '');
  const sentence = /^(.+?)[.!?](\s|$)/.exec(line ?? '')?.[1] ?? line ?? '';
  return sentence.replaceAll(/[`*_]/g, '').replace(/[\s:,;.]+$/, '');
}

/** Control characters would break git's own parsing of a message, or a reader's terminal. */
function clean(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (char) => (char === '\n' ? '\n' : ' '))
    .trim();
}

/** One that could start a new trailer or end the address would attribute the work to somebody else. */
function trailerText(text: string): string {
  return clean(text)
    .replaceAll(/[<>\n]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function lowerFirst(text: string): string {
  // "API keys" and "README" stay as they are.
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

export function cut(text: string, max: number): string {
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const kept = characters.slice(0, max - 1).join('');
  const space = kept.lastIndexOf(' ');
  return `${(space > max / 2 ? kept.slice(0, space) : kept).trimEnd()}…`;
}

function wrap(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line.trimEnd()))
    .join('\n');
}

function wrapLine(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > MAX_BODY_LINE) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  // A trailer's shape inside the body would be read as one.
  return [...lines, current].map((one) => one.replace(/^([A-Za-z-]+-by|Ship-\w+):/i, '$1 -'));
}
