/** A user of this machine for the duration of one test run, with the subordinate ids that Debian gives to people. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface OrdinaryUser {
  name: string;
  home: string;
  uid: number;
  /** First of 65,536 subordinate ids. */
  subordinateStart: number;
  /** Command prefix that runs a program as this user. */
  command: string[];
  remove(): void;
}

function rangeOf(name: string, table: string): number | undefined {
  const line = table.split('\n').find((row) => row.startsWith(`${name}:`));
  return line === undefined ? undefined : Number(line.split(':')[1]);
}

export function makeUser(name: string): OrdinaryUser {
  execFileSync('useradd', ['--create-home', '--shell', '/bin/bash', name]);
  try {
    const [, , uid = '', , , home = ''] = execFileSync('getent', ['passwd', name], {
      encoding: 'utf8',
    }).split(':');
    const subordinateStart = rangeOf(name, readFileSync('/etc/subuid', 'utf8'));
    if (subordinateStart === undefined)
      throw new Error(
        `useradd gave ${name} no subordinate ids; see SUB_UID_COUNT in login.defs(5)`,
      );
    return {
      name,
      home,
      uid: Number(uid),
      subordinateStart,
      command: ['setpriv', '--reuid', name, '--regid', name, '--init-groups', '--'],
      remove: () => removeUser(name),
    };
  } catch (error) {
    removeUser(name);
    throw error;
  }
}

function removeUser(name: string): void {
  const { stderr } = spawnSync('userdel', ['--remove', name], { encoding: 'utf8' });
  // userdel also prints a warning about a mail folder that a new user does not have.
  if (/in use|cannot/.test(stderr)) process.stderr.write(stderr);
}
