/** Text of others inside text of ours. */

/** It must neither close our section nor call people: "@everyone" in a prompt would notify them. */
export function neutral(text: string): string {
  return withoutMarkers(text)
    .replaceAll(/(^|[^\w`])@(?=[A-Za-z0-9])/g, '$1@\u200b')
    .trim();
}

/** As code within a line. */
export function inline(text: string): string {
  return withoutMarkers(text.replaceAll(/[`\r\n]+/g, ' ')).trim();
}

/** Longer than any fence inside: output that contains one must not escape from its block. */
export function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${withoutMarkers(text).trimEnd()}\n${marks}`;
}

function withoutMarkers(text: string): string {
  return text.replaceAll(/<!--\s*ship:/g, '<!-- ');
}
