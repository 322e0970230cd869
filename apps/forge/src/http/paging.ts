import { unprocessable } from './errors.ts';

export interface Page {
  number: number;
  size: number;
}

/** GitHub's rule: 30 by default, 100 at most; invalid values become the default. */
export function parsePage(query: URLSearchParams): Page {
  const size = positive(query.get('per_page')) ?? 30;
  const number = positive(query.get('page')) ?? 1;
  if (number > 1_000_000) throw unprocessable('That page is past the end of every list.');
  return { number, size: Math.min(size, 100) };
}

function positive(text: string | null): number | undefined {
  if (text === null || !/^\d{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 ? value : undefined;
}

/** The Link header; `last` is omitted for lists that are read page by page. */
export function linkHeader(
  url: string,
  page: Page,
  more: boolean,
  last?: number,
): string | undefined {
  const link = (number: number, rel: string) => {
    const target = new URL(url);
    target.searchParams.set('page', String(number));
    return `<${target.href}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page.number > 1) links.push(link(page.number - 1, 'prev'));
  if (more) links.push(link(page.number + 1, 'next'));
  if (more && last !== undefined) links.push(link(last, 'last'));
  if (page.number > 1) links.push(link(1, 'first'));
  return links.length === 0 ? undefined : links.join(', ');
}

export interface Slice<T> {
  items: T[];
  more: boolean;
  last: number;
}

export function slice<T>(all: readonly T[], page: Page): Slice<T> {
  const start = (page.number - 1) * page.size;
  return {
    items: all.slice(start, start + page.size),
    more: start + page.size < all.length,
    last: Math.max(1, Math.ceil(all.length / page.size)),
  };
}
