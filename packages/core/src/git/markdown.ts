/** Embeds untrusted text in Ship's Markdown. */

/** Prevents text from closing Ship's section and from notifying people: "@everyone" in a prompt would. */
export function neutral(text: string): string {
  return withoutMarkers(text)
    .replaceAll(/(^|[^\w`])@(?=[A-Za-z0-9])/g, '$1@\u200b')
    .trim();
}

/** Text for inline code. */
export function inline(text: string): string {
  return withoutMarkers(text.replaceAll(/[`\r\n]+/g, ' ')).trim();
}

/** A code block whose fence is longer than any inside: output with a fence must not escape from its block. */
export function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${withoutMarkers(text).trimEnd()}\n${marks}`;
}

function withoutMarkers(text: string): string {
  return text.replaceAll(/<!--\s*ship:/g, '<!-- ');
}
