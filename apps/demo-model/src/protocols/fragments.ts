/** Cuts an answer into the pieces that are streamed, the same way every time. */
import { countTokens } from '../ledger/tokens.ts';

export interface Fragment {
  text: string;
  tokens: number;
}

/** Words with the space before them, as models stream them; a word of unusual length is cut as well. */
export function textFragments(text: string): Fragment[] {
  return (text.match(/\s*\S{1,24}|\s+/gu) ?? []).map(measured);
}

/** Arguments arrive in pieces that break anywhere, also within a key or an escape: clients must join before they parse. */
export function jsonFragments(json: string, size = 24): Fragment[] {
  const characters = Array.from(json);
  const pieces: Fragment[] = [];
  for (let from = 0; from < characters.length; from += size) {
    pieces.push(measured(characters.slice(from, from + size).join('')));
  }
  return pieces;
}

function measured(text: string): Fragment {
  return { text, tokens: countTokens(text) };
}
