/** Returns links to the web and mail only, never `javascript:`, `data:` or our own pages. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}
