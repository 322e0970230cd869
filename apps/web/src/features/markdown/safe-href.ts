/** Where a link of the agent's may lead: the web and mail, never `javascript:`, `data:` or a page of ours. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}
