import type { EnvironmentPlan } from '@ship/protocol';

/** The plan in one line per ecosystem: `found pnpm-lock.yaml → pnpm install --frozen-lockfile → pnpm test`. */
export function describePlan({
  install,
  verify,
}: Pick<EnvironmentPlan, 'install' | 'verify'>): string[] {
  const last = install.length - 1;
  const lines = install.map(({ source, command }, at) =>
    [`found ${source}`, command, ...(at === last && verify !== null ? [verify.command] : [])].join(
      ' → ',
    ),
  );
  if (lines.length > 0) return verify === null ? [...lines, 'no test command found'] : lines;
  return [
    verify === null
      ? 'nothing to install, no test command found'
      : `found ${verify.source} → ${verify.command}`,
  ];
}
