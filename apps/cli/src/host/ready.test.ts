import { describe, expect, it } from 'vitest';
import { readyText } from './ready.ts';

const url = 'http://ship.localhost:4400';

describe('the ready line', () => {
  it('[UP1] has the sign-in link if there is one', () => {
    const link = `${url}/#sign-in=secret`;
    expect(readyText({ url, link, dataFolder: '.ship' })).toBe(`ship: ready ${link}\n`);
  });

  it('[UP13] otherwise has the plain URL, and the next line says how to get a link', () => {
    const without = { url, link: undefined };
    expect(readyText({ ...without, dataFolder: '.ship' })).toBe(
      `ship: ready ${url}\nship: to sign a browser in, run: npx --no-install ship open\n`,
    );
    expect(readyText({ ...without, dataFolder: '/var/lib/ship' })).toContain(
      'npx --no-install ship open --data /var/lib/ship\n',
    );
  });
});
