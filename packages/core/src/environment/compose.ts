import { parse } from 'yaml';
import { ENV_FILE, interpolated, readServices, variablesOf } from './compose-services.ts';
import {
  type EnvironmentRow,
  type EnvironmentSource,
  type ValuePart,
  applied,
  emptySource,
  notApplied,
  unreadableSource,
} from './source.ts';
import { recordOf, textsOf } from './untyped.ts';

/** In the order in which Docker Compose looks for them. */
export const COMPOSE_FILES = [
  'compose.yaml',
  'compose.yml',
  'docker-compose.yaml',
  'docker-compose.yml',
];

interface ComposeInput {
  path: string;
  text: string;
  /** The service in which a devcontainer runs the code: its variables become the environment of the work. */
  codeService: string | null;
  secretNames: readonly string[];
}

/** Reads a compose file. No container starts: databases and caches run as native servers, at the same ports. */
export function readCompose({
  path,
  text,
  codeService,
  secretNames,
}: ComposeInput): EnvironmentSource {
  let file: Record<string, unknown>;
  try {
    // Aliases in an untrusted file can expand exponentially; a real file has a handful.
    file = recordOf(parse(text, { merge: true, maxAliasCount: 200 }));
  } catch {
    return unreadableSource(path, 'it is not valid YAML');
  }
  const all = recordOf(file['services']);
  const code = codeService === null ? undefined : all[codeService];
  const beside = Object.entries(all).filter(([name]) => name !== codeService);
  const others = Object.fromEntries(
    beside.filter(([, one]) => recordOf(one)['profiles'] === undefined),
  );
  const inProfiles = beside.flatMap(([name, one]) => {
    const profiles = textsOf(recordOf(one)['profiles']).join(', ');
    return profiles === ''
      ? []
      : [notApplied(`service ${name}`, `only in the profile ${profiles}`)];
  });
  const { services, rows } = readServices(
    others,
    secretNames,
    codeService === null ? 'published' : 'inside',
  );
  const environment: Record<string, ValuePart[]> = {};
  const codeRows: EnvironmentRow[] = [];
  for (const [name, value] of Object.entries(variablesOf(recordOf(code)['environment']))) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) continue;
    environment[name] = interpolated(value, secretNames);
    codeRows.push(applied(`${codeService}: ${name}`, 'for setup, start, tests and agent'));
  }
  if (code !== undefined && recordOf(code)['env_file'] !== undefined)
    codeRows.push(notApplied(`${codeService}: env_file`, ENV_FILE));
  return {
    ...emptySource(path),
    services,
    environment,
    rows: [...codeRows, ...rows, ...inProfiles],
  };
}
