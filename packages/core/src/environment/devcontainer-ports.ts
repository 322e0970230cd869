import { type EnvironmentPort, type EnvironmentRow, applied, notApplied } from './source.ts';
import { portOf, recordOf, textOf } from './untyped.ts';

interface PortsSection {
  ports: EnvironmentPort[];
  rows: EnvironmentRow[];
}

/** `forwardPorts` names ports; `portsAttributes` describes single ports and ranges. */
export function readPorts(file: Record<string, unknown>): PortsSection {
  const attributes = Object.entries(recordOf(file['portsAttributes'])).map(
    ([key, value]) => [key, recordOf(value)] as const,
  );
  const found = new Map<number, EnvironmentPort>();
  const rows: EnvironmentRow[] = [];
  const add = (port: number) => {
    const own = attributes.find(([key]) => isFor(key, port))?.[1] ?? {};
    const opensPreview = /^open(?:Preview|Browser|BrowserOnce)$/.test(
      textOf(own['onAutoForward']) ?? '',
    );
    found.set(port, { port, label: textOf(own['label'])?.slice(0, 200) ?? null, opensPreview });
  };
  const forwarded: unknown[] = Array.isArray(file['forwardPorts']) ? file['forwardPorts'] : [];
  for (const one of forwarded) {
    const port = portOf(one) ?? portOf(String(one).split(':').at(-1));
    if (port === null) rows.push(notApplied(`port ${String(one)}`, 'not a port number'));
    else add(port);
  }
  for (const [key] of attributes) {
    const port = portOf(key);
    if (port !== null) add(port);
  }
  const ports = [...found.values()].sort((one, other) => one.port - other.port);
  for (const { port, label } of ports)
    rows.push(applied(`port ${port}`, label === null ? 'a preview' : `a preview named “${label}”`));
  return { ports, rows };
}

/** A number, a range such as `40000-55000`, or the end of `host:3000`. */
function isFor(key: string, port: number): boolean {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(key) ?? [];
  if (from !== undefined && to !== undefined) return Number(from) <= port && port <= Number(to);
  return portOf(key.split(':').at(-1)) === port;
}
