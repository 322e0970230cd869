import { type ParseError, parse } from 'jsonc-parser';
import { readLifecycle } from './devcontainer-commands.ts';
import { readFeatures } from './devcontainer-features.ts';
import { readPorts } from './devcontainer-ports.ts';
import { type Expansion, type VariableScope, expandVariables } from './devcontainer-variables.ts';
import { toolOfImage, toolsOfDockerfile } from './image-tools.ts';
import { readLimits } from './host-requirements.ts';
import {
  type EnvironmentRow,
  type EnvironmentSource,
  NOT_READ,
  type ToolRequest,
  applied,
  emptySource,
  notApplied,
  unreadableSource,
} from './source.ts';
import { recordOf, scalarOf, textOf, textsOf } from './untyped.ts';
import { readWorkspaceFolder } from './workspace-folder.ts';

interface DevcontainerInput {
  path: string;
  text: string;
  scope: VariableScope;
  /** Texts of its Dockerfile and compose files, by their path in the repository. */
  files: Readonly<Record<string, string>>;
}

/** Fields that describe the container; Ship starts none. */
const CONTAINER_FIELDS = [
  'init',
  'privileged',
  'capAdd',
  'securityOpt',
  'runArgs',
  'mounts',
  'workspaceMount',
  'overrideCommand',
  'shutdownAction',
  'appPort',
  'runServices',
];
/** Fields for what the sandbox does anyway. */
const FIELDS_WITHOUT_EFFECT = [
  'remoteUser',
  'containerUser',
  'updateRemoteUserUID',
  'userEnvProbe',
];

const OTHER_REASONS: Readonly<Record<string, string>> = {
  otherPortsAttributes: 'only ports that the file names get a label',
  overrideFeatureInstallOrder: 'features are not installed',
};
/** Fields that other functions report, or that do not describe the environment. */
const REPORTED_ELSEWHERE =
  '$schema name image build dockerFile context features secrets dockerComposeFile service workspaceFolder containerEnv ' +
  'remoteEnv waitFor forwardPorts portsAttributes hostRequirements customizations initializeCommand onCreateCommand ' +
  'updateContentCommand postCreateCommand postStartCommand postAttachCommand';
const KNOWN = new Set([
  ...REPORTED_ELSEWHERE.split(' '),
  ...CONTAINER_FIELDS,
  ...FIELDS_WITHOUT_EFFECT,
]);

/** Reads a devcontainer.json, which is JSON with comments and trailing commas. */
export function readDevcontainer({
  path,
  text,
  scope,
  files,
}: DevcontainerInput): EnvironmentSource {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return unreadableSource(path, 'it is not valid JSON with comments');
  const file = recordOf(value);
  const workspace = readWorkspaceFolder(file, scope.repositoryName);
  const folder = workspace.folder === null ? scope.folder : `${scope.folder}/${workspace.folder}`;
  const inner = { ...scope, folder };
  const lifecycle = readLifecycle(file, inner);
  const features = readFeatures(file['features']);
  const image = readImage(file, path, files);
  const ports = readPorts(file);
  const limits = readLimits(file['hostRequirements']);
  const variables = readEnvironment(file, inner);
  const secrets = Object.entries(recordOf(file['secrets'])).map(([name, about]) => ({
    name,
    description: textOf(recordOf(about)['description']),
  }));
  return {
    ...emptySource(path),
    steps: lifecycle.steps,
    waitFor: lifecycle.waitFor,
    environment: variables.environment,
    workingDirectory: workspace.folder,
    ports: ports.ports,
    tools: [...image.tools, ...features.tools],
    secrets,
    limits: limits.limits,
    rows: [
      ...lifecycle.rows,
      ...variables.rows,
      ...workspace.rows,
      ...ports.rows,
      ...image.rows,
      ...features.rows,
      ...limits.rows,
      ...customizationRows(file['customizations']),
      ...ignoredRows(file),
    ],
  };
}

/** `remoteEnv` wins, as it does for the tools that define the format; there null removes a variable. */
function readEnvironment(file: Record<string, unknown>, scope: VariableScope) {
  const environment: Record<string, Expansion['parts'] | null> = {};
  const rows: EnvironmentRow[] = [];
  for (const field of ['containerEnv', 'remoteEnv']) {
    for (const [name, value] of Object.entries(recordOf(file[field]))) {
      const item = `${field} ${name}`;
      const text = scalarOf(value);
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        rows.push(notApplied(item, 'not a name for a variable'));
      } else if (value === null) {
        environment[name] = null;
        rows.push(applied(item, 'removed for setup, start, tests and agent'));
      } else if (text === null) {
        rows.push(notApplied(item, 'not a text'));
      } else {
        const { parts, unknown } = expandVariables(text, scope);
        environment[name] = parts;
        rows.push(
          unknown.length === 0
            ? applied(item, 'for setup, start, tests and agent')
            : notApplied(item, `add ${unknown.join(', ')} to the repository’s secrets`),
        );
        // An empty value in place of a token fails far from its cause.
        if (unknown.length > 0) delete environment[name];
      }
    }
  }
  return { environment, rows };
}

function readImage(
  file: Record<string, unknown>,
  path: string,
  files: Readonly<Record<string, string>>,
): { tools: ToolRequest[]; rows: EnvironmentRow[] } {
  const rows: EnvironmentRow[] = [];
  const tools: ToolRequest[] = [];
  const image = textOf(file['image']);
  if (image !== null) {
    const tool = toolOfImage(image, 'image');
    if (tool !== null) tools.push(tool);
    const compared = tool === null ? ', and its name names no tool' : '; its tools are compared';
    rows.push(notApplied('image', `${image} is not pulled${compared}`));
  }
  const build = recordOf(file['build']);
  const dockerfile = textOf(build['dockerfile']) ?? textOf(file['dockerFile']);
  if (dockerfile !== null) {
    const text = files[resolveBeside(path, dockerfile)];
    const args = Object.fromEntries(
      Object.entries(recordOf(build['args'])).map(([name, one]) => [name, scalarOf(one) ?? '']),
    );
    if (text !== undefined) tools.push(...toolsOfDockerfile(text, args, dockerfile));
    rows.push(
      notApplied(
        'build',
        text === undefined
          ? `${resolveBeside(path, dockerfile)} is not built, and ${NOT_READ}`
          : `${dockerfile} is not built; its tools are compared`,
      ),
    );
  }
  const composed = textsOf(file['dockerComposeFile']);
  if (composed.length > 0)
    rows.push(notApplied('dockerComposeFile', 'no container starts; see its services'));
  for (const one of composed.map((name) => resolveBeside(path, name)))
    if (files[one] === undefined) rows.push(notApplied(`dockerComposeFile ${one}`, NOT_READ));
  return { tools, rows };
}

/** The compose files and the code's service that a devcontainer.json names. */
export function composeOf(path: string, text: string): { files: string[]; service: string | null } {
  const file = recordOf(parse(text, [], { allowTrailingComma: true }));
  return {
    files: textsOf(file['dockerComposeFile']).map((one) => resolveBeside(path, one)),
    service: textOf(file['service']),
  };
}

/** Resolves a path that the file at `path` contains, to one from the repository's root. */
function resolveBeside(path: string, relative: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

function customizationRows(value: unknown): EnvironmentRow[] {
  return Object.entries(recordOf(value)).flatMap(([tool, settings]) =>
    Object.keys(recordOf(settings)).map((name) =>
      notApplied(
        `customizations.${tool}.${name}`,
        name === 'extensions' ? 'extensions need a marketplace' : 'the editor has its own settings',
      ),
    ),
  );
}

function ignoredRows(file: Record<string, unknown>): EnvironmentRow[] {
  const named = (fields: readonly string[], why: string) =>
    fields.filter((field) => file[field] !== undefined).map((field) => notApplied(field, why));
  return [
    ...named(CONTAINER_FIELDS, 'describes a container, and a sandbox is not one'),
    ...named(FIELDS_WITHOUT_EFFECT, 'commands run as the user of the sandbox'),
    ...Object.keys(file)
      .filter((field) => !KNOWN.has(field))
      .map((field) => notApplied(field, OTHER_REASONS[field] ?? 'Ship does not know this field')),
  ];
}
