// Terminal escape sequences: colours, cursor moves, titles and links.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[PX^_][^\u001B]*(?:\u001B\\)?|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex -- as above
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g;

/** Strips escape sequences; a line that was overwritten with carriage returns keeps its last version. */
export function plainOutput(text: string): string {
  return text
    .replaceAll(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1))
    .join('\n')
    .replaceAll(CONTROLS, '')
    .replaceAll('\r', '');
}

export function tailLines(text: string, count: number): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  return lines.slice(-count).join('\n');
}
