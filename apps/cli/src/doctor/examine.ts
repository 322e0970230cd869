import { checkDisk, checkMemory } from './checks/capacity.ts';
import { checkIds } from './checks/ids.ts';
import { checkIsolation } from './checks/isolation.ts';
import { checkNode } from './checks/node.ts';
import { checkPort } from './checks/port.ts';
import { checkPrograms } from './checks/programs.ts';
import { checkToolchains } from './checks/toolchains.ts';
import { dataFolderAt } from '../paths.ts';

/** The result of one check. `remedy` says how to fix it; a passed check needs none. */
export type Finding =
  | { check: string; verdict: 'pass'; detail: string }
  | { check: string; verdict: 'warn' | 'fail'; detail: string; remedy: string };

export interface ExamineOptions {
  port: number;
  dataFolder: string;
}

/** Runs all checks; each one tries what it reports. */
export async function examine({ port, dataFolder }: ExamineOptions): Promise<Finding[]> {
  const data = dataFolderAt(dataFolder);
  return [
    checkNode(process.versions.node),
    ...checkPrograms(),
    checkIsolation(),
    await checkIds(),
    ...(await checkToolchains()),
    await checkPort(port, data),
    checkDisk(data),
    checkMemory(),
  ];
}
