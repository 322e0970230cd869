import { styleText } from 'node:util';
import type { Diff, FileDiff } from '@ship/protocol';

/** Formats the server's diff as git does. */
export function diffText({ files, truncated }: Diff): string {
  const texts = files.map(fileText);
  return `${texts.join('')}${truncated ? 'More files changed than are shown here.\n' : ''}`;
}

function fileText(file: FileDiff): string {
  const before = file.previousPath ?? file.path;
  const head = [
    `diff --git a/${before} b/${file.path}`,
    ...(file.previousPath === null ? [] : [`${file.status} from ${before}`]),
    ...(file.omitted === null ? [] : [`not shown: ${file.omitted}`]),
    ...(file.hunks.length === 0
      ? []
      : [
          `--- ${file.status === 'added' ? '/dev/null' : `a/${before}`}`,
          `+++ ${file.status === 'deleted' ? '/dev/null' : `b/${file.path}`}`,
        ]),
  ];
  const hunks = file.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, section, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${section === '' ? '' : ` ${section}`}`,
    ...lines,
  ]);
  return [...head, ...hunks].map((line) => `${line}\n`).join('');
}

/** Adds colors; Node omits them when the output is not a terminal. */
export function paintDiff(text: string): string {
  return text.split('\n').map(paintLine).join('\n');
}

function paintLine(line: string): string {
  const clean = withoutControls(line);
  const paint = (style: 'green' | 'red' | 'cyan' | 'bold') =>
    styleText(style, clean, { stream: process.stdout });
  if (/^(diff|\+\+\+|---)/.test(line)) return paint('bold');
  if (line.startsWith('@@')) return paint('cyan');
  if (line.startsWith('+')) return paint('green');
  return line.startsWith('-') ? paint('red') : clean;
}

/** A file may contain control characters that move a terminal's cursor or change its title. */
export function withoutControls(line: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
  return line.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '�');
}
