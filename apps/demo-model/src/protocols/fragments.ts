/** Splits an answer into fragments for streaming, deterministically. */
import { countTokens } from '../ledger/tokens.ts';

export interface Fragment {
  text: string;
  tokens: number;
}

/** Words with the preceding space, as models stream them; long words are split. */
export function textFragments(text: string): Fragment[] {
  return (text.match(/\s*\S{1,24}|\s+/gu) ?? []).map(measured);
}

/** Splits arguments anywhere, even within a key or an escape: clients must join fragments before parsing. */
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
