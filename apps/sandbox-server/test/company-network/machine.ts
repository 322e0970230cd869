/**
 * The machine that runs Ship in that company. network.test.ts starts it in a separate namespace; it prints its findings as
 * one line of JSON.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { startSandboxServer } from '../../src/index.ts';
import {
  CREDENTIALS,
  PROXY,
  PROXY_PORT,
  REGISTRY,
  REGISTRY_NAME,
  SECURE_PROXY_PORT,
  type Report,
} from './addresses.ts';

const [, , folder = '', hostNamespace, dataDir = '', secureDataDir = ''] = process.argv;
if (hostNamespace === undefined || readlinkSync('/proc/self/ns/net') === hostNamespace)
  throw new Error('not in the network namespace that was made for this test');

const { user, password } = CREDENTIALS;
// The company's resolver: this namespace reaches none.
const resolve = async (host: string) => (host === REGISTRY_NAME ? [REGISTRY] : ['93.184.216.34']);
const apiKey = 'key-of-the-company-test';
const server = await startSandboxServer({
  apiKey,
  dataDir,
  egress: { upstreamProxy: { https: `http://${user}:${password}@${PROXY}:${PROXY_PORT}` } },
  certificateFiles: [join(folder, 'ca.crt')],
  // Tests clients that contact the registry themselves; the gateway has its own tests.
  registries: { enabled: false },
  resolve,
});
const connection = { apiKey, apiUrl: server.apiUrl, sandboxUrl: server.sandboxUrl };
const COMMAND_LIMIT_MS = 60_000;

async function shell(sandbox: Sandbox, command: string) {
  const startedAt = Date.now();
  const outcome = await sandbox.commands
    .run(`${command} 2>&1`, { timeoutMs: COMMAND_LIMIT_MS })
    .catch((error: unknown) => error as { exitCode: number; stdout: string });
  const { exitCode, stdout: output } = outcome;
  return { exitCode, output, tookMs: Date.now() - startedAt };
}

/** With the registry gateway, which connects to the proxy itself. */
async function throughSecureProxy(): Promise<Report['secure']> {
  const url = `https://${user}:${password}@${PROXY}:${SECURE_PROXY_PORT}`;
  const other = await startSandboxServer({
    apiKey,
    dataDir: secureDataDir,
    egress: { upstreamProxy: { https: url, http: url } },
    certificateFiles: [join(folder, 'ca.crt')],
    registries: { home: folder, environment: {} },
    resolve,
  });
  try {
    const sandbox = await Sandbox.create('base', {
      apiKey,
      apiUrl: other.apiUrl,
      sandboxUrl: other.sandboxUrl,
      network: { allowOut: [`${REGISTRY_NAME}=private`, 'deb.corp.test'] },
    });
    const program = `mkdir /tmp/work && cd /tmp/work && echo {} > package.json && npm install tiny && node -p 'require("tiny")'`;
    const install = await shell(sandbox, program);
    const tunnel = await shell(sandbox, `curl -sS https://${REGISTRY_NAME}/tiny`);
    const forward = await shell(sandbox, 'curl -sS http://deb.corp.test/');
    const asked = readFileSync(join(folder, 'proxied-securely'), 'utf8').trim().split('\n');
    return { install, tunnel, forward, asked };
  } finally {
    await other.close('stop');
  }
}

try {
  const plain = await Sandbox.create('base', connection);
  const withoutEntry = await shell(plain, `cd /tmp && npm install tiny`);
  await plain.kill();
  const sandbox = await Sandbox.create('base', {
    ...connection,
    network: { allowOut: [`${REGISTRY_NAME}=private`] },
  });
  const url = `https://${REGISTRY_NAME}/tiny`;
  await shell(sandbox, 'mkdir /tmp/work && echo {} >/tmp/work/package.json');
  const install = await shell(sandbox, 'cd /tmp/work && npm install tiny');
  const { output: installed } = await shell(sandbox, `cd /tmp/work && node -p 'require("tiny")'`);
  const trusted = {
    curl: (await shell(sandbox, `curl -sSf ${url}`)).exitCode,
    // There is no repository: git reports an untrusted certificate before that.
    git: (await shell(sandbox, `git ls-remote ${url}.git 2>&1 | grep -q 'not found'`)).exitCode,
    python: (await shell(sandbox, `python3 -c 'import urllib.request as u; u.urlopen("${url}")'`))
      .exitCode,
    node: (
      await shell(sandbox, `node -e 'fetch("${url}").then((r) => process.exit(r.ok ? 0 : 1))'`)
    ).exitCode,
  };
  const hasJava = (await shell(sandbox, 'command -v java')).exitCode === 0;
  if (hasJava) {
    const program = `public class Get { public static void main(String[] a) throws Exception { new java.net.URL("${url}").openStream().close(); } }`;
    await sandbox.files.write('/tmp/Get.java', program);
    Object.assign(trusted, { java: (await shell(sandbox, 'java /tmp/Get.java')).exitCode });
  }
  // npm's start-up time depends on the machine, so it is subtracted from the time to the refusal.
  const { tookMs: startMs } = await shell(sandbox, 'npm --version');
  const refused = await shell(
    sandbox,
    'cd /tmp/work && npm install other --registry https://refused.corp.test/',
  );
  const { output: inside } = await shell(
    sandbox,
    `env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; cat /run/certificates/*.crt; curl -sv https://refused.corp.test/`,
  );
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  const secrets = [password, encoded, PROXY, 'PRIVATE KEY'].filter((text) => inside.includes(text));
  await sandbox.kill();
  const securely = await throughSecureProxy();
  const proxied = readFileSync(join(folder, 'proxied'), 'utf8').trim().split('\n');
  const report: Report = {
    withoutEntry,
    install,
    installed: installed.trim(),
    trusted,
    refused: { ...refused, tookMs: refused.tookMs - startMs },
    authorized: proxied.every((line) => line.startsWith('authorized ')),
    proxied: proxied.map((line) => line.split(' ')[1] ?? ''),
    secure: securely,
    secretInside: secrets.join(' '),
    insideBytes: inside.length,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
  await server.close('stop');
}
