/** The machine's proxy and certificate settings, for the egress of its sandboxes. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

interface MachineNetwork {
  upstreamProxy: { https?: string; http?: string; noProxy?: string };
  /** Additional certificates that the user trusts. */
  certificateFiles: string[];
  /** Ignored settings, without their values: a proxy URL may contain a password. */
  warnings: string[];
}

/** In the order of curl and Go. */
const PROXY_VARIABLES = {
  https: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  http: ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
} as const;
const CERTIFICATE_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
];

export function machineNetwork(env: NodeJS.ProcessEnv): MachineNetwork {
  const warnings: string[] = [];
  const proxy = (scheme: 'https' | 'http'): Record<string, string> => {
    const name = PROXY_VARIABLES[scheme].find((variable) => env[variable]);
    const value = name === undefined ? undefined : env[name];
    if (value === undefined || name === undefined) return {};
    if (isProxyUrl(value)) return { [scheme]: value };
    warnings.push(`${name} is not used for sandboxes: only http:// and https:// proxies are.`);
    return {};
  };
  const noProxy = env['no_proxy'] || env['NO_PROXY'];
  const named = CERTIFICATE_VARIABLES.flatMap((name) => {
    const file = env[name] ? resolve(env[name]) : undefined;
    if (file === undefined) return [];
    if (existsSync(file)) return [file];
    warnings.push(`${name} is not used for sandboxes: there is no file ${file}.`);
    return [];
  });
  const upstreamProxy = { ...proxy('https'), ...proxy('http'), ...(noProxy ? { noProxy } : {}) };
  return { upstreamProxy, certificateFiles: [...new Set(named)], warnings };
}

/** A proxy without a scheme means http, as for curl. */
function isProxyUrl(text: string): boolean {
  const url = text.includes('://') ? text : `http://${text}`;
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

const PRIVATE_HOST =
  /^[a-z0-9_][a-z0-9_.-]*(:[0-9]{1,5})?(=(private|[0-9a-f]*[.:][0-9a-f.:]+(\/[0-9]{1,3})?))?$/i;

/** Parses `--allow-private HOST[=CIDR]` into an allow-list entry. */
export function collectPrivateHost(text: string, before: string[]): string[] {
  if (!PRIVATE_HOST.test(text))
    throw new InvalidArgumentError(
      'It must look like registry.corp.example, HOST:8443 or HOST=10.20.0.0/16.',
    );
  return [...before, text.includes('=') ? text : `${text}=private`];
}
