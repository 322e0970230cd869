/** Extracts the text that people read: comments, strings and JSX text of source, Markdown without its code. */

export interface Prose {
  text: string;
  /** First line of the text in the file, from 1. */
  line: number;
}

export function proseOf(file: string, source: string): Prose[] {
  if (!file.endsWith('.md')) return new Scanner(source, file.endsWith('.tsx')).read();
  return [{ text: withoutCode(source), line: 1 }];
}

/** Keeps length and line breaks, so that line numbers stay right. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** Drops code and link targets. Headings lose their full stops: they are no sentences. */
const withoutCode = (markdown: string): string =>
  markdown
    .replaceAll(/^ *```[^]*?^ *```/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)\s]*\)/g, blank)
    .replaceAll(/^#+ .*$/gm, (heading) => heading.replaceAll('.', ' '));

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\n>]|\breturn)\s*$/;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Must close on its line: an apostrophe in JSX text opens no string. */
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;
const COMMENT = /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[^]*?\*\//y;
/** JSX text between two tags or expressions: words and punctuation, no characters of code. */
const PAGE_TEXT = /(?<=[>}])[^<>{}()[\]=|&;`]*[A-Za-z][^<>{}()[\]=|&;`]*(?=[<{])/g;

/** Separates comments and strings of TypeScript from its code. */
class Scanner {
  readonly #source: string;
  readonly #isPage: boolean;
  readonly #prose: (Prose & { index: number })[] = [];
  #at = 0;
  /** The code alone; comments and strings are blank. */
  #code = '';

  constructor(source: string, isPage: boolean) {
    this.#source = source;
    this.#isPage = isPage;
  }

  read(): Prose[] {
    this.#readCode(false);
    if (this.#isPage)
      for (const { 0: text, index } of this.#code.matchAll(PAGE_TEXT)) this.#add(text, index);
    return this.#prose.sort((a, b) => a.index - b.index).map(({ text, line }) => ({ text, line }));
  }

  /** Reads to the end of the file, or of an expression inside a template. */
  #readCode(isInTemplate: boolean): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at] ?? '';
      if (character === '`') this.#readTemplate();
      else if (character === '}' && isInTemplate && depth === 0) return;
      else if (!this.#readToken(character)) {
        depth += Number(character === '{') - Number(character === '}');
        this.#code += character;
        this.#at++;
      }
    }
  }

  #readToken(character: string): boolean {
    if (character === "'" || character === '"') return this.#take(STRING, isProse);
    if (character !== '/') return false;
    if (this.#take(COMMENT, () => true)) return true;
    return REGEX_MAY_FOLLOW.test(this.#code.slice(-20)) && this.#take(REGEX, () => false);
  }

  #take(pattern: RegExp, isRead: (text: string) => boolean): boolean {
    pattern.lastIndex = this.#at;
    const [text] = pattern.exec(this.#source) ?? [];
    if (text === undefined) return false;
    if (isRead(text)) this.#add(text, this.#at);
    this.#skip(text.length);
    return true;
  }

  #readTemplate(): void {
    const start = this.#at;
    let text = '';
    this.#skip(1);
    while (this.#at < this.#source.length && this.#source[this.#at] !== '`') {
      const from = this.#at;
      if (this.#source.startsWith('${', from)) {
        this.#skip(2);
        this.#readCode(true);
        this.#skip(1);
        text += blank(this.#source.slice(from, this.#at));
      } else {
        this.#skip(this.#source[from] === '\\' ? 2 : 1);
        text += this.#source.slice(from, this.#at);
      }
    }
    this.#skip(1);
    if (isProse(text)) this.#add(text, start);
  }

  #skip(length: number): void {
    this.#code += blank(this.#source.slice(this.#at, this.#at + length));
    this.#at += length;
  }

  #add(text: string, index: number): void {
    const line = (this.#source.slice(0, index).match(/\n/g)?.length ?? 0) + 1;
    this.#prose.push({ text, line, index });
  }
}

/** A string of one word is a name: a key, a path, a kind. */
const isProse = (text: string): boolean => text.trim().includes(' ');
