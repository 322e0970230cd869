import { lexer } from 'marked';
import type { Token } from 'marked';

/** Later text can still change these blocks: a line of dashes turns the last one into a heading, and a list may grow. */
const openBlocks = 3;

/**
 * Lexes a text that mostly grows at its end, such as a streamed answer, without lexing its settled blocks again. A text with
 * another beginning is lexed from its start.
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
    // The lexer normalizes some texts (tabs, line ends): their blocks do not add up to the input, so nothing is settled.
    if (closed.length > 0 && text.startsWith(closedText, settledText.length)) {
      settled = [...settled, ...closed];
      settledText += closedText;
    }
    return all;
  };
}
