import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import Rendered from './rendered.tsx';
import { safeHref } from './safe-href.ts';

const html = (text: string) => renderToStaticMarkup(<Rendered text={text} />);

describe('markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="x()">b</b>',
    '<iframe src="https://evil.example"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
  ])('[WB7] markup stays text: %s', (text) => {
    const rendered = html(text);
    expect(rendered).not.toMatch(/<(script|img|iframe|b|a)\b/);
    expect(rendered).toContain('&lt;');
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,hi)',
    '[x](/settings)',
    '![x](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
  ])('[WB7] no unsafe link: %s', (text) => {
    expect(html(text)).not.toContain('href');
  });

  it('[WB7] links get no reference to the page; images become links', () => {
    expect(html('[x](https://a.example/)')).toContain('rel="noreferrer noopener"');
    const picture = html('![alt](https://a.example/p.png)');
    expect(picture).toContain('href="https://a.example/p.png"');
    expect(picture).not.toContain('<img');
  });

  it('renders what agents write', () => {
    const rendered = html(
      '# T\n\nSome **bold** `code`\n\n- [x] one\n- two\n\n```ts\nlet a < b\n```\n\n|a|b|\n|-|-|\n|1|2|',
    );
    for (const part of ['aria-level="3"', '<strong', '<code', 'type="checkbox"', '<pre', '<td'])
      expect(rendered).toContain(part);
    expect(rendered).toContain('let a &lt; b');
  });

  it('renders a partial document while it streams', () => {
    expect(html('Text and\n\n```ts\nlet a')).toContain('let a');
    expect(html('**bo')).toContain('**bo');
  });

  it.each([
    ['https://a.example', 'https://a.example/'],
    ['mailto:a@b.c', 'mailto:a@b.c'],
    ['//a.example', undefined],
    ['java\nscript:alert(1)', undefined],
    ['', undefined],
  ])('%j leads to %j', (href, safe) => expect(safeHref(href)).toBe(safe));
});
