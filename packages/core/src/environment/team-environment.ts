import { onLoopback } from './loopback.ts';
import {
  type CommandPhase,
  type EnvironmentLimits,
  type EnvironmentPort,
  type EnvironmentRow,
  type EnvironmentService,
  type EnvironmentSource,
  type EnvironmentStep,
  type NativeServer,
  SETUP_PHASES,
  type SecretRequest,
  type ToolRequest,
  type ValuePart,
  applied,
  notApplied,
} from './source.ts';
import { fits } from './versions.ts';

/** Inputs other than the files themselves. */
export interface SourceContext {
  /** The script that replaces the files' setup, such as “.ship/setup.sh”; null without one. */
  setupBy: string | null;
  /** The script that replaces the files' start commands; null without one. */
  startBy: string | null;
  secretNames: readonly string[];
  /** The sandbox's tools; null when no sandbox was checked, and everything counts as present. */
  sandbox: SandboxTools | null;
}

export interface SandboxTools {
  /** Version by tool; null when the tool is present without a known version. */
  tools: Readonly<Record<string, string | null>>;
  servers: readonly NativeServer[];
}

export interface SourceRow extends EnvironmentRow {
  file: string;
}

/** All files combined, as the sandbox runs them. */
export interface TeamEnvironment {
  /** The file whose commands are the setup; null when none has any, or something else prepares the repository. */
  setupFrom: string | null;
  setup: readonly EnvironmentStep[];
  /** Steps of the setup that the agent does not wait for. */
  late: readonly EnvironmentStep[];
  start: readonly EnvironmentStep[];
  environment: Readonly<Record<string, readonly ValuePart[] | null>>;
  workingDirectory: string | null;
  ports: readonly EnvironmentPort[];
  tools: readonly ToolRequest[];
  services: readonly EnvironmentService[];
  secrets: readonly SecretRequest[];
  limits: EnvironmentLimits;
  rows: readonly SourceRow[];
}

const isSetup = ({ phase }: EnvironmentStep): boolean =>
  SETUP_PHASES.some((known) => known === phase);

/** Combines the sources in order of precedence: the first one's commands run, and its values win. */
export function combineSources(
  sources: readonly EnvironmentSource[],
  context: SourceContext,
): TeamEnvironment {
  const { setupBy, startBy, sandbox, secretNames } = context;
  const first = sources.find(({ steps }) => steps.some(isSetup));
  const starter = sources.find(({ steps }) => steps.some((step) => !isSetup(step)));
  const chosen = setupBy === null ? first : undefined;
  const services = startBy === null ? servicesOf(sources) : [];
  const running = services.filter(({ server }) => sandbox?.servers.includes(server) ?? true);
  const waited = phasesUntil(chosen?.waitFor ?? 'postCreate');
  const steps = (chosen?.steps ?? []).filter(isSetup);
  const tools = firstBy(
    sources.flatMap((source) => source.tools),
    ({ tool }) => tool,
  );
  const fileRows = sources.flatMap(({ file, rows, steps: own, services: wanted, ...source }) => {
    const setupInstead = setupBy ?? (first?.file === file ? null : (first?.file ?? null));
    const startInstead = startBy ?? (starter?.file === file ? null : (starter?.file ?? null));
    return [
      ...rows.map((row) => replaced(row, own, setupInstead, startInstead)),
      ...wanted.map((service) => serviceRow(service, services, running, startBy)),
      ...source.tools.map((tool) => toolRow(tool, sandbox)),
      ...source.secrets.map((secret) => secretRow(secret, secretNames)),
    ].map((row) => ({ file, ...row }));
  });
  return {
    setupFrom: chosen?.file ?? null,
    setup: steps.filter(({ phase }) => waited.includes(phase)),
    late: steps.filter(({ phase }) => !waited.includes(phase)),
    start: startBy === null ? (starter?.steps ?? []).filter((step) => !isSetup(step)) : [],
    environment: environmentOf(sources, running),
    workingDirectory: (chosen ?? starter)?.workingDirectory ?? null,
    ports: firstBy(
      sources.flatMap((source) => source.ports),
      ({ port }) => port,
    ),
    tools,
    services: running,
    secrets: firstBy(
      sources.flatMap((source) => source.secrets),
      ({ name }) => name,
    ),
    limits: limitsOf(sources),
    rows: fileRows,
  };
}

function phasesUntil(last: CommandPhase): readonly CommandPhase[] {
  const index = SETUP_PHASES.findIndex((phase) => phase === last);
  return index === -1 ? SETUP_PHASES : SETUP_PHASES.slice(0, index + 1);
}

/** Marks the row of a command that something else replaces: the table must not claim that both run. */
function replaced(
  row: EnvironmentRow,
  steps: readonly EnvironmentStep[],
  setupInstead: string | null,
  startInstead: string | null,
): EnvironmentRow {
  const step = steps.find(({ item }) => item === row.item);
  if (step === undefined || !row.applied) return row;
  const instead = isSetup(step) ? setupInstead : startInstead;
  return instead === null ? row : notApplied(row.item, `${instead} runs instead`);
}

function environmentOf(
  sources: readonly EnvironmentSource[],
  services: readonly EnvironmentService[],
): TeamEnvironment['environment'] {
  const all: Record<string, readonly ValuePart[] | null> = {};
  for (const { environment } of sources.toReversed()) Object.assign(all, environment);
  return Object.fromEntries(
    Object.entries(all).map(([name, parts]) => [
      name,
      parts === null ? null : onLoopback(name, parts, services),
    ]),
  );
}

/** One server for each port; the first file that asks for it decides. */
function servicesOf(sources: readonly EnvironmentSource[]): EnvironmentService[] {
  return firstBy(
    sources.flatMap((source) => source.services),
    ({ port }) => port,
  );
}

function firstBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | number): Item[] {
  const found = new Map<string | number, Item>();
  for (const item of items) if (!found.has(keyOf(item))) found.set(keyOf(item), item);
  return [...found.values()];
}

function limitsOf(sources: readonly EnvironmentSource[]): EnvironmentLimits {
  const pick = (key: keyof EnvironmentLimits): number | null =>
    sources.map(({ limits }) => limits[key]).find((value) => value !== null) ?? null;
  return {
    cpus: pick('cpus'),
    memoryBytes: pick('memoryBytes'),
    storageBytes: pick('storageBytes'),
  };
}

const PACKAGE: Readonly<Record<NativeServer, string>> = {
  postgres: 'postgresql',
  redis: 'redis-server',
  mariadb: 'mariadb-server',
};

function serviceRow(
  service: EnvironmentService,
  chosen: readonly EnvironmentService[],
  running: readonly EnvironmentService[],
  startBy: string | null,
): EnvironmentRow {
  const { name, server, image, port } = service;
  const item = `service ${name}`;
  if (startBy !== null) return notApplied(item, `${startBy} starts what the repository needs`);
  if (!chosen.includes(service)) return notApplied(item, `port ${port} has another service`);
  return running.includes(service)
    ? applied(item, `${image} → native ${server} at 127.0.0.1:${port}`)
    : notApplied(
        item,
        `${server} is not installed: apt-get install ${PACKAGE[server]} on the machine`,
      );
}

function toolRow(
  { tool, version, item }: ToolRequest,
  sandbox: SandboxTools | null,
): EnvironmentRow {
  const row = `${item}: ${version === null ? tool : `${tool} ${version}`}`;
  if (sandbox === null) return applied(row, 'if the sandbox has it');
  if (!(tool in sandbox.tools)) return notApplied(row, `the sandbox has no ${tool}`);
  const present = sandbox.tools[tool] ?? null;
  if (present === null || version === null || fits(present, version, 'range'))
    return applied(row, present === null ? 'the sandbox has it' : `the sandbox has ${present}`);
  return notApplied(row, `the sandbox has ${present}`);
}

function secretRow({ name, description }: SecretRequest, known: readonly string[]): EnvironmentRow {
  const about = description === null ? '' : ` (${description})`;
  return known.includes(name)
    ? applied(`secret ${name}`, 'the repository has it')
    : notApplied(`secret ${name}`, `add it in Settings → Secrets${about}`);
}
