import { describe, expect, it } from 'vitest';
import { joined, packet } from './pkt-line.ts';
import { HiddenRefRequested, RefScreen } from './ref-screen.ts';

const sha = (n: number) => String(n).repeat(40);
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (from: Uint8Array) => new TextDecoder().decode(from);
const line = (n: number, ref: string, more = '') => packet(`${sha(n)} ${ref}${more}\n`);
const flush = bytes('0000');
const isVisible = (ref: string) => !ref.startsWith('refs/ship/') || ref.startsWith('refs/ship/me/');

/** In chunks of one size after another: a line may be split anywhere. */
function screen(input: Uint8Array, pieceBytes: number): string {
  const refs = new RefScreen(isVisible);
  const out: Uint8Array[] = [];
  for (let at = 0; at < input.length; at += pieceBytes) {
    const piece = input.slice(at, at + pieceBytes);
    out.push(refs.isDone ? piece : refs.feed(piece));
  }
  return text(joined([...out, refs.end()]));
}

describe('ref screen', () => {
  const own = line(3, 'refs/ship/me/checkpoint');
  const theirs = line(4, 'refs/ship/other/checkpoint');

  it.each([1, 3, 7, 64, 10_000])('[MR6] the same in chunks of %i bytes', (pieceBytes) => {
    const main = line(1, 'refs/heads/main');
    const listed = joined([line(1, 'HEAD', ' symref-target:refs/heads/main'), main, theirs, own]);
    expect(screen(joined([listed, flush]), pieceBytes)).toBe(
      text(joined([line(1, 'HEAD', ' symref-target:refs/heads/main'), main, own, flush])),
    );
    // The pack itself may have bytes that look like a line with a ref.
    const pack = joined([packet('packfile\n'), packet(joined([Uint8Array.of(1), theirs])), flush]);
    expect(screen(joined([packet('NAK\n'), bytes('PACK'), theirs]), pieceBytes)).toBe(
      text(joined([packet('NAK\n'), bytes('PACK'), theirs])),
    );
    expect(screen(pack, pieceBytes)).toBe(text(pack));
  });

  it('[MR6] capabilities that come with a hidden first ref move to the next one', () => {
    const service = joined([packet('# service=git-receive-pack\n'), flush]);
    const first = line(4, 'refs/ship/other/checkpoint', '\0report-status delete-refs');
    expect(screen(joined([service, first, own, flush]), 50)).toBe(
      text(
        joined([service, line(3, 'refs/ship/me/checkpoint', '\0report-status delete-refs'), flush]),
      ),
    );
    const none = packet(`${'0'.repeat(40)} capabilities^{}\0report-status delete-refs\n`);
    expect(screen(joined([service, first, flush]), 50)).toBe(text(joined([service, none, flush])));
  });

  it('[MR6] a pack that was requested by the name of a hidden ref is not sent', () => {
    const answer = joined([packet('wanted-refs\n'), theirs, bytes('0001'), packet('packfile\n')]);
    expect(() => screen(answer, 20)).toThrow(HiddenRefRequested);
  });
});
