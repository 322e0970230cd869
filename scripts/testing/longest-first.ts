import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, the longest first; most of that time they wait for a real process. Started last, one of them
 * would keep the whole run waiting while the other workers have nothing left to do.
 */
const LONGEST = [
  'apps/cli/test/endurance/agent-chaos',
  'apps/control-plane/test/attack/fairness',
  'apps/control-plane/test/warm-start',
  'apps/control-plane/test/hibernation',
  'apps/control-plane/test/attack/team-former',
  'apps/demo-model/test/opencode',
  'apps/control-plane/test/naming',
  'apps/sandbox-server/test/conformance/',
  'apps/control-plane/test/kept-setup',
  'apps/control-plane/test/attack/turn',
  'apps/cli/test/up',
  'apps/cli/test/auth',
  'apps/control-plane/test/agent',
  'apps/control-plane/test/crash',
  'apps/control-plane/test/lifecycle',
  'apps/cli/test/run',
  'apps/control-plane/test/attack/event-flood',
  'apps/control-plane/test/lost-sandbox',
  'apps/cli/test/watch',
  'apps/control-plane/test/git/desk',
  'apps/control-plane/test/verification',
  'apps/control-plane/test/install',
  'apps/control-plane/test/git/whole-checkout',
  'apps/control-plane/test/git/left-behind',
  'apps/control-plane/test/team-environment',
  'apps/control-plane/test/budget',
  'apps/control-plane/test/network',
  'apps/control-plane/test/models/gateway',
  'apps/control-plane/test/',
  'apps/cli/test/',
  'apps/sandbox-server/test/',
  'apps/forge/test/',
];

/** Real processes first, then pure code and Durable Objects, which keep the processors busy to the end. */
const PROJECTS = ['processes', 'processes-long', 'workerd', 'units'];

/** Their tens of thousands of deleted files slow down every later file creation: ext4 avoids recently freed inodes. */
const LAST = ['apps/sandbox-server/test/attack/disk'];

const rank = ({ moduleId }: TestSpecification): number => {
  if (LAST.some((path) => moduleId.includes(path))) return LONGEST.length + 1;
  const found = LONGEST.findIndex((path) => moduleId.includes(path));
  return found === -1 ? LONGEST.length : found;
};

const projectOf = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((a, b) => projectOf(a) - projectOf(b) || rank(a) - rank(b));
  }
}
