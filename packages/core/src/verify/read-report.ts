import { VERIFICATION_LIMITS } from '@ship/protocol';
import { readJest, readMocha, readNodeTest, readVitest } from './runners/javascript.ts';
import {
  readAva,
  readBun,
  readGradle,
  readJunitXml,
  readMaven,
  readNodeTap,
  readPhpunit,
  readRspec,
  readTap,
} from './runners/more.ts';
import { readCargo, readGo, readPytest, readUnittest } from './runners/python-go-rust.ts';
import type { ReadReport, TestReport } from './runners/report.ts';

const READERS: readonly ReadReport[] = [
  readVitest,
  readJest,
  readNodeTest,
  readMocha,
  readPytest,
  readUnittest,
  readCargo,
  readRspec,
  readPhpunit,
  readMaven,
  readGradle,
  readBun,
  readNodeTap,
  readAva,
  readTap,
  readJunitXml,
  readGo,
];

/** Only the end of an output is read: the summary is last, with the names shortly before it. */
const MAX_READ = 400_000;
const MAX_LINE = 2_000;

/** Null when no runner is recognized: then only the exit code counts. */
export function readTestReport(output: string): TestReport | null {
  const lines = plain(output.slice(-MAX_READ))
    .split('\n')
    .map((line) => line.slice(0, MAX_LINE).trimEnd());
  for (const read of READERS) {
    const report = read(lines);
    if (report === null) continue;
    const { failingNames, nameCharacters } = VERIFICATION_LIMITS;
    const names = report.failing.map((name) => Array.from(name).slice(0, 150).join(''));
    return { ...report, failing: unique(names, nameCharacters).slice(0, failingNames) };
  }
  return null;
}

function unique(names: readonly string[], maxCharacters: number): string[] {
  return [...new Set(names)].filter((name) => name.length <= maxCharacters);
}

/** Removes colors and normalizes line endings. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is removed
  return text.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '').replaceAll(/\r\n?/g, '\n');
}
