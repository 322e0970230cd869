import { examineToolchains } from '@ship/sandbox-server';
import type { Finding } from '../examine.ts';

type Examined = Awaited<ReturnType<typeof examineToolchains>>;

/** One line for each tool, with all versions and their location in sandboxes. A missing tool is not a failure. */
export function describeToolchains({ entries, refused }: Examined): Finding[] {
  const names = [...new Set(entries.map(({ name }) => name))].toSorted();
  const found = names.map((name): Finding => {
    const versions = entries
      .filter((entry) => entry.name === name)
      .map(({ version, bin, origin }) => `${version ?? 'version unknown'} (${origin}, ${bin})`);
    return { check: name, verdict: 'pass', detail: versions.join('; ') };
  });
  return [
    ...found,
    ...refused.map(({ name, path, reason }): Finding => ({
      check: name,
      verdict: 'warn',
      detail: `${path} cannot be shown to sandboxes`,
      remedy: reason,
    })),
  ];
}

export async function checkToolchains(): Promise<Finding[]> {
  return describeToolchains(await examineToolchains());
}
