import { type ParseError, parse } from 'jsonc-parser';
import { toolsOfDockerfile } from './image-tools.ts';
import {
  type EnvironmentPort,
  type EnvironmentRow,
  type EnvironmentSource,
  type EnvironmentStep,
  NOT_READ,
  type NamedCommand,
  applied,
  emptySource,
  notApplied,
  unreadableSource,
} from './source.ts';
import { portOf, recordOf, textOf } from './untyped.ts';

export const CURSOR_ENVIRONMENT = '.cursor/environment.json';

/** Reads the file of Cursor's background agents: an install command, a start command, and terminals that stay open. */
export function readCursorEnvironment(
  text: string,
  files: Readonly<Record<string, string>>,
): EnvironmentSource {
  const errors: ParseError[] = [];
  const file = recordOf(parse(text, errors, { allowTrailingComma: true }));
  if (errors.length > 0) return unreadableSource(CURSOR_ENVIRONMENT, 'it is not valid JSON');
  const rows: EnvironmentRow[] = [];
  const steps: EnvironmentStep[] = [];
  const install = textOf(file['install']);
  if (install !== null) {
    steps.push({ phase: 'create', item: 'install', commands: [{ name: null, line: install }] });
    rows.push(applied('install', 'in the setup'));
  }
  const start = textOf(file['start']);
  if (start !== null) {
    steps.push({ phase: 'start', item: 'start', commands: [{ name: null, line: start }] });
    rows.push(applied('start', 'at every start of the sandbox, in the background'));
  }
  const terminals = terminalsOf(file['terminals']);
  if (terminals.length > 0) {
    steps.push({ phase: 'attach', item: 'terminals', commands: terminals });
    rows.push(applied('terminals', `${terminals.length} in the background, without a terminal`));
  }
  const dockerfile = textOf(recordOf(file['build'])['dockerfile']);
  const path = dockerfile?.startsWith('../') ? dockerfile.slice(3) : `.cursor/${dockerfile}`;
  const image = dockerfile === null ? undefined : files[path];
  const tools = image === undefined ? [] : toolsOfDockerfile(image, {}, dockerfile ?? '');
  if (dockerfile !== null)
    rows.push(
      notApplied(
        'build',
        image === undefined
          ? `${dockerfile} is not built, and ${NOT_READ}`
          : `${dockerfile} is not built; its tools are compared`,
      ),
    );
  if (file['snapshot'] !== undefined)
    rows.push(notApplied('snapshot', 'it is in Cursor’s cloud; Ship keeps the result of a setup'));
  if (file['repositoryDependencies'] !== undefined)
    rows.push(notApplied('repositoryDependencies', 'a sandbox has one repository'));
  const ports = portsOf(file['ports']);
  for (const { port } of ports) rows.push(applied(`port ${port}`, 'a preview'));
  return { ...emptySource(CURSOR_ENVIRONMENT), steps, ports, tools, rows };
}

function terminalsOf(value: unknown): NamedCommand[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) => {
    const { name, command } = recordOf(one);
    const line = textOf(command);
    return line === null ? [] : [{ name: textOf(name) ?? `terminal-${index + 1}`, line }];
  });
}

function portsOf(value: unknown): EnvironmentPort[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one) => {
    const { port, name } = recordOf(one);
    const number = portOf(port ?? one);
    return number === null
      ? []
      : [{ port: number, label: textOf(name)?.slice(0, 200) ?? null, opensPreview: false }];
  });
}
