/** The machine's real Maven in a real sandbox, behind a mirror that requires a password. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandExitError, Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { bytes, startUpstream, type Upstream } from './upstream.ts';

const API_KEY = 'maven-key';
const PASSWORD = 'word-of-the-mirror-5d1c';
const hasMaven = existsSync('/usr/bin/mvn');
const expected = `Basic ${Buffer.from(`builder:${PASSWORD}`).toString('base64')}`;
let upstream: Upstream;
let folder = '';
let home = '';
let server: SandboxServer;
let sandbox: Sandbox;

/** Serves a file and its checksum, to clients with the password. */
function serve(path: string, body: Buffer | string): void {
  const sha1 = createHash('sha1').update(body).digest('hex');
  for (const [name, content] of [
    [path, body],
    [`${path}.sha1`, sha1],
  ] as const) {
    const answer = bytes(content);
    upstream.answers.set(`/maven/${name}`, (request, response) =>
      request.headers.authorization === expected
        ? answer(request, response)
        : response.writeHead(401).end(),
    );
  }
}

const pom = (artifact: string, packaging: string): string =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>test.corp</groupId><artifactId>${artifact}</artifactId><version>1.0</version><packaging>${packaging}</packaging></project>`;

function jar(): Buffer {
  mkdirSync(join(home, 'jar/META-INF'), { recursive: true });
  writeFileSync(join(home, 'jar/META-INF/MANIFEST.MF'), 'Manifest-Version: 1.0\n\n');
  const file = join(home, 'extension.jar');
  execFileSync('python3', ['-m', 'zipfile', '-c', file, join(home, 'jar/META-INF')]);
  return readFileSync(file);
}

async function run(command: string): Promise<string> {
  try {
    const { stdout, stderr } = await sandbox.commands.run(command, { timeoutMs: 120_000 });
    return stdout + stderr;
  } catch (error) {
    if (error instanceof CommandExitError) return error.stdout + error.stderr;
    throw error;
  }
}

// The title states the reason, because a run shows the titles of skipped tests.
describe.skipIf(!hasMaven)('Maven in a sandbox (needs the Debian package maven)', () => {
  beforeAll(async () => {
    upstream = await startUpstream();
    folder = await preparedDataFolder();
    home = mkdtempSync(join(tmpdir(), 'ship-home-'));
    mkdirSync(join(home, '.m2'));
    writeFileSync(
      join(home, '.m2/settings.xml'),
      `<settings><servers><server><id>corp</id><username>builder</username><password>${PASSWORD}</password></server></servers>
       <mirrors><mirror><id>corp</id><mirrorOf>external:*</mirrorOf><url>${upstream.url}maven</url></mirror></mirrors></settings>`,
    );
    serve('test/corp/parent/1.0/parent-1.0.pom', pom('parent', 'pom'));
    serve('test/corp/extension/1.0/extension-1.0.pom', pom('extension', 'jar'));
    serve('test/corp/extension/1.0/extension-1.0.jar', jar());
    // Maven adds it to every extension.
    const utils = 'org/codehaus/plexus/plexus-utils/1.1/plexus-utils-1.1';
    serve(
      `${utils}.pom`,
      pom('plexus-utils', 'jar')
        .replace('test.corp', 'org.codehaus.plexus')
        .replace('1.0</v', '1.1</v'),
    );
    serve(`${utils}.jar`, jar());
    server = await startSandboxServer({
      apiKey: API_KEY,
      dataDir: join(folder, 'sandboxes'),
      registries: { home, environment: {} },
      resolve: async () => [],
    });
    const { apiUrl, sandboxUrl } = server;
    sandbox = await Sandbox.create('base', { apiKey: API_KEY, apiUrl, sandboxUrl });
  }, 180_000);
  afterAll(async () => {
    await server.close('stop');
    await upstream.close();
    for (const name of [folder, home]) removeFolder(name);
  }, 60_000);

  it('[RG16] resolves a parent and a jar through the gateway, while the mirror’s credentials stay outside of the sandbox', async () => {
    const project = `<project><modelVersion>4.0.0</modelVersion>
      <parent><groupId>test.corp</groupId><artifactId>parent</artifactId><version>1.0</version><relativePath/></parent>
      <artifactId>app</artifactId><packaging>pom</packaging>
      <build><extensions><extension><groupId>test.corp</groupId><artifactId>extension</artifactId><version>1.0</version></extension></extensions></build></project>`;
    await sandbox.files.write('/home/user/app/pom.xml', project);
    const said = await run('cd ~/app && mvn -B -ntp validate');
    expect(said).toContain('BUILD SUCCESS');
    const stored = await run('find ~/.m2/repository/test -name "*.jar" -o -name "*.pom"');
    expect(stored.trim().split('\n').length).toBe(3);
    expect(upstream.seen.every(({ headers }) => headers.authorization === expected)).toBe(true);
    const inside = await run(
      `cat ~/.m2/settings.xml; env; grep -rl '${PASSWORD.slice(0, 8)}[-]the' ~ /run /tmp /etc 2>/dev/null || true`,
    );
    expect(inside).toContain('<url>http://127.0.0.1:7003/maven/corp/</url>');
    expect(inside).not.toMatch(new RegExp(`${PASSWORD}|${expected}|${new URL(upstream.url).port}`));
  }, 180_000);

  it('[RG16] a file whose checksum differs from the registry’s is not served', async () => {
    serve('test/corp/parent/2.0/parent-2.0.pom', pom('parent', 'pom'));
    const good = upstream.answers.get('/maven/test/corp/parent/1.0/parent-1.0.pom.sha1');
    if (good !== undefined)
      upstream.answers.set('/maven/test/corp/parent/2.0/parent-2.0.pom', good);
    const { length } = upstream.seen;
    const said = await run(
      'curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:7003/maven/corp/test/corp/parent/2.0/parent-2.0.pom',
    );
    expect(said).toBe('424');
    expect(upstream.seen.length).toBeGreaterThan(length);
  }, 60_000);
});
