/** The cloud's sandbox template, equivalent to the local server's `templates/base`, built once in the user's E2B account. */
import pkg from '@ship/sandbox-server/package.json' with { type: 'json' };
import { Template } from 'e2b';

const MEMORY_MB = 2_048;
const CPUS = 2;

/** Programs that every turn needs: Ship and OpenCode call git and ripgrep, most repositories the others. */
const PACKAGES = ['git', 'curl', 'ca-certificates', 'ripgrep', 'python3', 'python3-venv', 'sudo'];

/** The version that local sandboxes run and that is tested. */
export const OPENCODE_VERSION = pkg.optionalDependencies['opencode-linux-x64'];

export function cloudTemplate() {
  return (
    Template()
      .fromNodeImage('24-bookworm')
      .setUser('root')
      .aptInstall(PACKAGES, { noInstallRecommends: true })
      .npmInstall(`opencode-ai@${OPENCODE_VERSION}`, { g: true })
      // A program that does not start must fail the build, not a session.
      .runCmd(['opencode --version', 'git --version', 'rg --version', 'python3 --version'])
      .setUser('user')
      .setWorkdir('/home/user')
  );
}

export interface TemplateBuild {
  name: string;
  apiKey: string;
  onLine: (line: string) => void;
}

/** Returns false when the template already exists. */
export async function ensureTemplate(
  { name, apiKey, onLine }: TemplateBuild,
  again: boolean,
): Promise<boolean> {
  if (!again && (await Template.exists(name, { apiKey }))) return false;
  await Template.build(cloudTemplate(), name, {
    apiKey,
    cpuCount: CPUS,
    memoryMB: MEMORY_MB,
    onBuildLogs: (entry) => onLine(entry.message),
  });
  return true;
}
