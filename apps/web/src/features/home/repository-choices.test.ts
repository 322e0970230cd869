import { describe, expect, it } from 'vitest';
import { choicesOf, looksLikeLocation } from './repository-choices.ts';

describe('repository choices', () => {
  it('lists each once, recently used first', () => {
    const choices = choicesOf(
      [{ repository: '/b' }, { repository: '/x/unknown.git' }, { repository: '/b' }],
      [
        { location: '/c', name: 'Zebra' },
        { location: '/b', name: 'Bee' },
        { location: '/a', name: 'Ant' },
      ],
    );
    expect(choices.map(({ name, group }) => `${group} ${name}`)).toEqual([
      'Recent Bee',
      'Recent unknown',
      'All Ant',
      'All Zebra',
    ]);
  });

  it.each(['/srv/shop', 'https://example.com/a/b', 'git@example.com:a/b.git', 'ssh://git@h/x'])(
    '%s is a location',
    (text) => expect(looksLikeLocation(text)).toBe(true),
  );
  it.each(['shop', '', '/', 'C:\\x'])('%j is not a location', (text) =>
    expect(looksLikeLocation(text)).toBe(false),
  );
});
