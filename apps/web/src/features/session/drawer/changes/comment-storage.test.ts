import { describe, expect, it } from 'vitest';
import { readComments } from './comment-storage.ts';

const comment = { path: 'a.ts', line: 3, code: 'let a', text: 'Why not const?' };
const storage = (text: string) => () => ({ getItem: () => text });

describe('unsent comments', () => {
  it('[RV5] are restored unchanged', () => {
    expect(readComments('ses_1', storage(JSON.stringify([comment])))).toEqual([comment]);
  });

  it('[RV5] damaged comments are dropped, and denied storage reads as empty', () => {
    const mixed = JSON.stringify([comment, { path: 'b.ts' }, null, 3]);
    expect(readComments('ses_1', storage(mixed))).toEqual([comment]);
    expect(readComments('ses_1', storage('{broken'))).toEqual([]);
    expect(readComments('ses_1', storage('{"a":1}'))).toEqual([]);
    // Node has no sessionStorage, like a browser that denies it.
    expect(readComments('ses_1')).toEqual([]);
  });
});
