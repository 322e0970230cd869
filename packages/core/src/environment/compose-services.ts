import {
  type EnvironmentRow,
  type EnvironmentService,
  type NativeServer,
  type ValuePart,
  notApplied,
} from './source.ts';
import { portOf, recordOf, scalarOf, textOf } from './untyped.ts';

const SERVER_OF_IMAGE: Readonly<Record<string, NativeServer>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  postgis: 'postgres',
  pgvector: 'postgres',
  redis: 'redis',
  valkey: 'redis',
  'redis-stack': 'redis',
  'redis-stack-server': 'redis',
  mysql: 'mariadb',
  mariadb: 'mariadb',
};
const DEFAULT_PORT: Readonly<Record<NativeServer, number>> = {
  postgres: 5432,
  redis: 6379,
  mariadb: 3306,
};

interface ServicesSection {
  services: EnvironmentService[];
  rows: EnvironmentRow[];
}

/**
 * Code that runs beside the containers uses their published ports; code that runs in a container uses the servers' default
 * ports.
 */
type ServicePorts = 'published' | 'inside';

/** Reads the services of a compose file or of a workflow job that a native server can replace. */
export function readServices(
  value: unknown,
  secretNames: readonly string[],
  ports: ServicePorts = 'published',
): ServicesSection {
  const services: EnvironmentService[] = [];
  const rows: EnvironmentRow[] = [];
  for (const [name, one] of Object.entries(recordOf(value))) {
    const service = recordOf(one);
    const image = textOf(service['image']);
    const server = image === null ? undefined : SERVER_OF_IMAGE[imageName(image)];
    const item = `service ${name}`;
    if (image === null || server === undefined) {
      rows.push(notApplied(item, whyNotNative(image)));
      continue;
    }
    const found = nativeService({ name, image, server }, service, secretNames, ports);
    const taken = services.find(({ port }) => port === found.port);
    if (taken === undefined) {
      services.push(found);
      rows.push(...unsupportedParts(item, service));
    } else rows.push(notApplied(item, `its port ${found.port} is taken by ${taken.name}`));
  }
  return { services, rows };
}

export const ENV_FILE =
  'files with variables are not read; set them under environment, or as secrets';
const INIT_SCRIPTS = '/docker-entrypoint-initdb.d';

/** Parts of a service that only its image would use, and a native server ignores. */
function unsupportedParts(item: string, service: Record<string, unknown>): EnvironmentRow[] {
  const volumes: unknown[] = Array.isArray(service['volumes']) ? service['volumes'] : [];
  const targets = volumes.map((one) => scalarOf(one) ?? scalarOf(recordOf(one)['target']) ?? '');
  return [
    ...(service['env_file'] === undefined ? [] : [notApplied(`${item}: env_file`, ENV_FILE)]),
    ...(targets.some((target) => target.includes(INIT_SCRIPTS))
      ? [
          notApplied(
            `${item}: ${INIT_SCRIPTS}`,
            'scripts of the image do not run; load them in .ship/setup.sh',
          ),
        ]
      : []),
  ];
}

function whyNotNative(image: string | null): string {
  if (image === null) return 'its image would be built, and no container starts';
  return `no native server replaces ${image}, and no container starts`;
}

/** `ghcr.io/org/postgres:16-alpine@sha256:…` is `postgres`. */
function imageName(image: string): string {
  const path = (image.split('@')[0] ?? '').replace(/:[^/]*$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

function nativeService(
  about: Pick<EnvironmentService, 'name' | 'image' | 'server'>,
  service: Record<string, unknown>,
  secretNames: readonly string[],
  ports: ServicePorts,
): EnvironmentService {
  const { server } = about;
  const env = variablesOf(service['environment'] ?? service['env']);
  const value = (...names: string[]): ValuePart[] | null => {
    const found = names.map((one) => env[one]).find((one) => one !== undefined && one !== '');
    return found === undefined ? null : interpolated(found, secretNames);
  };
  const defaultPort = DEFAULT_PORT[server];
  const port = ports === 'inside' ? defaultPort : publishedPort(service['ports'], defaultPort);
  const base = { ...about, port };
  if (server === 'postgres') {
    const user = value('POSTGRES_USER', 'POSTGRESQL_USERNAME') ?? ['postgres'];
    const isOpen = env['POSTGRES_HOST_AUTH_METHOD'] === 'trust';
    const password = value('POSTGRES_PASSWORD', 'POSTGRESQL_PASSWORD') ?? [];
    const database = value('POSTGRES_DB', 'POSTGRESQL_DATABASE') ?? user;
    return { ...base, user, password: isOpen ? [] : password, database };
  }
  if (server === 'redis') {
    const [, flag] =
      /--requirepass[\s=]+["']?([^\s"']+)/.exec(commandText(service['command'])) ?? [];
    const fromFlag = flag === undefined ? null : interpolated(flag, secretNames);
    return { ...base, user: [], password: fromFlag ?? value('REDIS_PASSWORD') ?? [], database: [] };
  }
  const user = value('MYSQL_USER', 'MARIADB_USER') ?? ['root'];
  const isRoot = user.length === 1 && user[0] === 'root';
  const root = value('MYSQL_ROOT_PASSWORD', 'MARIADB_ROOT_PASSWORD') ?? [];
  const own = value('MYSQL_PASSWORD', 'MARIADB_PASSWORD') ?? [];
  const database = value('MYSQL_DATABASE', 'MARIADB_DATABASE') ?? [];
  return { ...base, user, password: isRoot ? root : own, database };
}

function commandText(command: unknown): string {
  if (Array.isArray(command)) return command.map(String).join(' ');
  return textOf(command) ?? '';
}

/** A list of `NAME=value`, or values by name. */
export function variablesOf(value: unknown): Record<string, string> {
  if (!Array.isArray(value))
    return Object.fromEntries(
      Object.entries(recordOf(value)).map(([name, one]) => [name, scalarOf(one) ?? '']),
    );
  return Object.fromEntries(
    value.map((line: unknown) => {
      const [name = '', ...rest] = String(line).split('=');
      return [name, rest.join('=')];
    }),
  );
}

/** Replaces `${X:-fallback}`, `${X}` and `$X` by a reference to the repository's secret X if it exists, else by the fallback. */
export function interpolated(text: string, secretNames: readonly string[]): ValuePart[] {
  const parts: ValuePart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\$\$|\$(?:\{(\w+)(?::?[-?]([^}]*))?\}|([A-Za-z_]\w*))/g)) {
    const [whole, braced, fallback = '', plain] = match;
    const name = braced ?? plain;
    parts.push(text.slice(end, match.index));
    if (name === undefined) parts.push('$');
    else if (secretNames.includes(name)) parts.push({ variable: name, fallback });
    else parts.push(whole.includes('?') ? '' : fallback);
    end = match.index + whole.length;
  }
  return joined([...parts, text.slice(end)]);
}

function joined(parts: readonly ValuePart[]): ValuePart[] {
  const result: ValuePart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part === '') continue;
    if (typeof part === 'string' && typeof last === 'string')
      result[result.length - 1] = last + part;
    else result.push(part);
  }
  return result;
}

/** The host port that is mapped to the container's port; the container's port itself when none is. */
function publishedPort(value: unknown, containerPort: number): number {
  const list: unknown[] = Array.isArray(value) ? value : [];
  for (const one of list) {
    const { target, published } = recordOf(one);
    if (portOf(target) === containerPort) return portOf(published) ?? containerPort;
    const text = (scalarOf(one) ?? '')
      .replace(/\/(?:tcp|udp)$/, '')
      .replaceAll(/\$\{\w+:?-([^}]*)\}/g, '$1');
    const [host, container] = text.split(':').slice(-2);
    if (portOf(container) === containerPort) return portOf(host) ?? containerPort;
  }
  return containerPort;
}
