import { lexer } from 'marked';
import type { Token } from 'marked';

/** What comes next can still change these: a line of dashes makes a heading of the last, and a list may grow into one. */
const openBlocks = 3;

/**
 * Blocks of a text that mostly grows at its end, as an answer does that streams: what is settled is not read again. A text
 * that begins otherwise is read from its start.
 */
export function growingLexer(): (text: string) => readonly Token[] {
  let settled: readonly Token[] = [];
  let settledText = '';
  return (text) => {
    if (!text.startsWith(settledText)) {
      settled = [];
      settledText = '';
    }
    const rest = lexer(text.slice(settledText.length), { gfm: true });
    const all = [...settled, ...rest];
    const closed = rest.slice(0, -openBlocks);
    const closedText = closed.map(({ raw }) => raw).join('');
    // The lexer tidies some texts (tabs, line ends): then its blocks do not add up to what was given.
    if (closed.length > 0 && text.startsWith(closedText, settledText.length)) {
      settled = [...settled, ...closed];
      settledText += closedText;
    }
    return all;
  };
}
