import type { EnvironmentPlan } from '@ship/protocol';
import {
  START_SCRIPT,
  type SetupCommand,
  type SetupFacts,
  chooseSetup,
  ownSetup,
} from '../verify/setup.ts';
import { type PlanInput, planEnvironment } from './plan.ts';
import type { TeamEnvironment } from './team-environment.ts';
import { type TeamFacts, teamEnvironment } from './team-preparation.ts';

/** Whether Ship installs dependencies, and whether their scripts run. */
export interface InstallPolicy {
  isOn: boolean;
  withScripts: boolean;
}

/** A repository's overrides; null uses the workspace's setting. */
export interface InstallOverride {
  installDependencies: boolean | null;
  installScripts: boolean | null;
}

export function installPolicy(
  { dependencies, scripts }: { dependencies: boolean; scripts: boolean },
  { installDependencies, installScripts }: InstallOverride,
): InstallPolicy {
  return { isOn: installDependencies ?? dependencies, withScripts: installScripts ?? scripts };
}

/** The repository's location, and the secrets that its environment may name. */
export type RepositoryScope = Pick<TeamFacts, 'folder' | 'location' | 'secretNames'>;

export interface PreparationFacts
  extends Omit<SetupFacts, 'team'>, Pick<PlanInput, 'listing' | 'programs' | 'verifySetting'> {
  policy: InstallPolicy;
  place: RepositoryScope;
}

/** A setup that people wrote wins; without one, Ship installs the dependencies. */
export function choosePreparation({
  policy,
  listing,
  programs,
  verifySetting,
  place,
  ...own
}: PreparationFacts): {
  setup: SetupCommand | null;
  plan: EnvironmentPlan;
  team: TeamEnvironment;
} {
  const { texts } = listing;
  const startBy = texts[START_SCRIPT] === undefined ? null : START_SCRIPT;
  const setupBy = ownSetup(own)?.source ?? null;
  const team = teamEnvironment({ ...place, texts, programs, setupBy, startBy });
  const setup = chooseSetup({ ...own, team });
  const isInstalled = setup === null && team.setupFrom === null && policy.isOn;
  const { withScripts } = policy;
  const input = { listing, programs, verifySetting, isInstalled, withScripts };
  const plan = planEnvironment(input);
  if (team.rows.length === 0) return { setup, plan, team };
  const described = team.rows.slice(0, MAX_ROWS).map(shortened);
  return { setup, plan: { ...plan, described, ports: team.ports.slice(0, MAX_PORTS) }, team };
}

const MAX_ROWS = 200;
const MAX_PORTS = 50;
const MAX_TEXT = 300;

/** The file is untrusted: its names of variables and steps may have any length. */
function shortened({ file, item, applied, why }: TeamEnvironment['rows'][number]) {
  return {
    file: file.slice(0, MAX_TEXT),
    item: item.slice(0, MAX_TEXT),
    applied,
    why: why.slice(0, MAX_TEXT),
  };
}
