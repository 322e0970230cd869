import { describe, expect, it } from 'vitest';
import { joined, packet } from './pkt-line.ts';
import { ShownObjects } from './shown-objects.ts';
import { FetchRefused, WantScreen } from './want-screen.ts';

const sha = (digit: string) => digit.repeat(40);
const bytes = (text: string) => new TextEncoder().encode(text);
const FLUSH = bytes('0000');
const screen = () => new WantScreen(async (object) => object === sha('a'));

/** In chunks of one size: a line may be split anywhere. */
async function passed(input: Uint8Array, pieceBytes: number): Promise<string> {
  const wants = screen();
  const out: Uint8Array[] = [];
  for (let at = 0; at < input.length; at += pieceBytes)
    out.push((await wants.feed(input.slice(at, at + pieceBytes))).slice());
  wants.end();
  return new TextDecoder().decode(joined(out));
}

describe('want screen', () => {
  it.each([1, 3, 7, 64, 10_000])('[GG9] the same in chunks of %i bytes', async (pieceBytes) => {
    const have = packet(`have ${sha('b')}\n`);
    const first = packet(`want ${sha('a')} multi_ack agent=git/2\n`);
    const request = joined([first, packet(`want ${sha('a')}\n`), FLUSH, have, packet('done\n')]);
    expect(await passed(request, pieceBytes)).toBe(new TextDecoder().decode(request));
    const bad = joined([first, have, FLUSH, packet(`want ${sha('b')}\n`)]);
    await expect(passed(bad, pieceBytes)).rejects.toThrow('not the tip');
  });

  it.each([
    ['no object', packet('want main\n')],
    ['an object that is cut off', packet(`want ${'a'.repeat(39)}`)],
    ['a longer word', packet(`want ${sha('a')}a`)],
    ['a length that is none', bytes('zzzz')],
    ['an unknown mark', bytes('0003')],
    ['a packet longer than git writes', bytes('fff5')],
    ['a line without its end', bytes('0032want')],
    ['a filter that reads an object', packet(`filter sparse:oid=${sha('b')}\n`)],
    ['the same within others', packet(`filter combine:tree:1+sparse:oid=${sha('b')}\n`)],
  ])('[GG9] refuses %s', async (_, request) => {
    await expect(passed(request, 10)).rejects.toThrow(FetchRefused);
  });

  it('[GG9] recognizes a request for a list of refs', async () => {
    const wants = screen();
    await wants.feed(joined([packet('command=ls-refs\n'), FLUSH]));
    expect(wants.isLsRefs).toBe(true);
  });
});

describe('objects that were shown', () => {
  it('[GG9] are each session’s own, and those of the sessions that listed last are kept', () => {
    const shown = new ShownObjects(3);
    shown.add('one', 'a');
    shown.add('one', 'b');
    shown.add('two', 'c');
    expect(shown.has('one', 'c')).toBe(false);
    shown.add('two', 'd');
    expect([shown.has('one', 'a'), shown.has('two', 'c'), shown.has('two', 'd')]).toEqual([
      false,
      true,
      true,
    ]);
    for (const each of ['e', 'f', 'g']) shown.add('two', each);
    expect(shown.has('two', 'g')).toBe(false);
  });
});
