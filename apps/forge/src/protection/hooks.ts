import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installExportScript } from '../git/export.ts';
import { installBorrowedCheck } from './borrowed.ts';
import { type ProtectionRules, refuseUpdate } from './rules.ts';
import { installUnbornCheck } from './unborn.ts';

/**
 * git calls this hook for each update of a protected branch, and shows its reason to the client (`receive.procReceiveRefs`;
 * an `update` hook could only say "hook declined"). Allowed updates fall through to git.
 */
const SCRIPT = `
const { execFileSync } = require('node:child_process');
const { readSync, writeSync } = require('node:fs');
const rules = JSON.parse(process.env.SHIP_FORGE_PROTECTED ?? '{}');
const read = (size) => {
  const buffer = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const got = readSync(0, buffer, at, size - at);
    if (got === 0) process.exit(1);
    at += got;
  }
  return buffer;
};
const packet = () => {
  const length = Number.parseInt(read(4).toString(), 16);
  return length < 4 ? null : read(length - 4).toString().replace(/\\n$/, '');
};
const section = () => {
  const lines = [];
  for (let line = packet(); line !== null; line = packet()) lines.push(line);
  return lines;
};
const write = (text) => writeSync(1, (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text);
section();
write('version=1\\0\\n');
writeSync(1, '0000');
for (const line of section()) {
  const [before, after, ref] = line.split(' ');
  const none = /^0+$/;
  const reasons = rules[ref] ?? {};
  let reason = none.test(after) ? reasons.deletion : reasons.update;
  if (reason === undefined && !none.test(before) && !none.test(after)) {
    try {
      execFileSync('git', ['merge-base', '--is-ancestor', before, after], { stdio: 'ignore' });
    } catch {
      reason = reasons.forced;
    }
  }
  if (reason === undefined) {
    write('ok ' + ref + '\\n');
    write('option fall-through\\n');
  } else {
    process.stderr.write('error: GH006: Protected branch update failed for ' + ref + '.\\nerror: ' + reason + '\\n');
    write('ng ' + ref + ' protected branch hook declined\\n');
  }
}
writeSync(1, '0000');
`;

const PRE_RECEIVE = `#!/bin/sh
commands=$(cat)
for check in refuse-borrowed refuse-files export-objects; do
  echo "$commands" | sh "\${0%/*}/$check" || exit 1
done
`;

/** Writes the hooks for pushes of sessions, into users' folders, and to repositories with protected branches. */
export function installHooks(stateDir: string): string {
  const folder = join(stateDir, 'hooks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'proc-receive');
  writeFileSync(file, `#!${process.execPath}\n${SCRIPT}`);
  chmodSync(file, 0o700);
  installBorrowedCheck(folder);
  installUnbornCheck(folder);
  installExportScript(folder);
  const preReceive = join(folder, 'pre-receive');
  writeFileSync(preReceive, PRE_RECEIVE);
  chmodSync(preReceive, 0o700);
  return folder;
}

type Reason = string | undefined;
export type Refusals = Record<string, { update: Reason; deletion: Reason; forced: Reason }>;

/** For each protected branch the reason that refuses each kind of update, if any. */
export function refusals(rules: ReadonlyMap<string, ProtectionRules>): Refusals {
  return Object.fromEntries(
    [...rules].map(([branch, one]) => {
      const update = refuseUpdate(one, { isDeletion: false, isForced: false });
      const deletion = refuseUpdate(one, { isDeletion: true, isForced: false });
      const forced = refuseUpdate(one, { isDeletion: false, isForced: true });
      return [`refs/heads/${branch}`, { update, deletion, forced }];
    }),
  );
}
