import { describe, expect, it } from 'vitest';
import { forgeAddress } from '../forge/address.ts';
import { MovedRepositories } from './moved.ts';

const address = forgeAddress('github', { GITHUB_URL: 'https://git.example.com/root' });
const asked = { owner: 'ada', name: 'app' };
const led = (location: string, status = 301) =>
  new Response(null, { status, headers: { location } });

describe('earlier names of repositories', () => {
  it('[RM3] a new name at the same forge is learned, and kept for a while', () => {
    let now = 0;
    const moved = new MovedRepositories(() => now);
    expect(moved.current(address, asked)).toEqual(asked);
    const location = 'https://git.example.com/root/grace/other.git/info/refs?service=x';
    expect(moved.learn(address, asked, led(location))).toEqual({ owner: 'grace', name: 'other' });
    expect(moved.current(address, asked)).toEqual({ owner: 'grace', name: 'other' });
    expect(moved.current(address, { ...asked, name: 'third' })).toMatchObject({ name: 'third' });
    now += 3_600_000;
    expect(moved.current(address, asked)).toEqual(asked);
  });

  it('[RM3] a redirect to anywhere else is not followed', () => {
    const moved = new MovedRepositories(() => 0);
    const refused = [
      led('https://evil.example.com/root/ada/other.git/info/refs'),
      led('http://git.example.com/root/ada/other.git/info/refs'),
      led('https://x:y@git.example.com/root/ada/other.git/info/refs'),
      led('https://git.example.com/ada/other.git/info/refs'),
      led('https://git.example.com/root/../ada/other.git/info/refs'),
      led('https://git.example.com/root/ada/other.git/objects/info/packs'),
      led('https://git.example.com/root/ada/../info/refs'),
      led('//evil.example.com/root/ada/other.git/info/refs'),
      led('https://git.example.com/root/login'),
      led(''),
      led('https://git.example.com/root/ada/other.git/info/refs', 200),
    ];
    for (const answer of refused) expect(moved.learn(address, asked, answer)).toBeUndefined();
    expect(moved.current(address, asked)).toEqual(asked);
  });

  it('[RM3] the cache is bounded', () => {
    const moved = new MovedRepositories(() => 0);
    const location = '/root/ada/other.git/info/refs';
    for (let i = 0; i < 1_000; i += 1)
      moved.learn(address, { owner: 'ada', name: `r${i}` }, led(location));
    expect(moved.current(address, { owner: 'ada', name: 'r0' })).toMatchObject({ name: 'r0' });
    expect(moved.current(address, { owner: 'ada', name: 'r999' })).toMatchObject({ name: 'other' });
  });
});
