/**
 * Settings for the clients inside a sandbox. They name the gateway and contain no secret. Each is the lowest in its client's
 * precedence, so that a project's own settings and those of a user inside win. None for bun and yarn 1, which need more than
 * a setting: templates/base wraps both. Pure.
 */
import type { RegistrySettings } from './settings/index.ts';
import { nameInLockFile, NPMJS } from './settings/npm.ts';
import { escapeXml } from './settings/xml.ts';

/** Mount point of the folder with these files; links in the template point here. */
export const INSIDE_SETTINGS = '/run/registries';
export const INSIDE_URL = 'http://127.0.0.1:7003';

export function insideFiles(settings: RegistrySettings): Record<string, string> {
  return {
    npmrc: npmrc(settings),
    'yarnrc.yml': `npmRegistryServer: "${INSIDE_URL}/npm"\nunsafeHttpWhitelist: ["127.0.0.1"]\n`,
    'pip.conf': `[global]\nindex-url = ${INSIDE_URL}/pypi/simple/\n`,
    // Not [[index]]: uv writes its address into uv.lock.
    'uv.toml': `[pip]\nindex-url = "${INSIDE_URL}/pypi/simple/"\n`,
    'go.env': goEnv(settings),
    'cargo.toml': cargoConfig(settings),
    'maven-settings.xml': mavenSettings(settings),
  };
}

function npmrc({ npm }: RegistrySettings): string {
  const lines = [`registry=${INSIDE_URL}/npm/`, 'audit=false'];
  // This owner's lock files name the owner's registry, not npm's; redirect their addresses to the gateway, too.
  if (npm.registry.href !== NPMJS) lines.push('replace-registry-host=always');
  // For lock files: the wrappers of yarn 1 and bun write these names.
  lines.push(`; from ${nameInLockFile(npm.registry).href}`);
  for (const [scope, url] of npm.scopes)
    lines.push(`; from ${nameInLockFile(url).href} for ${scope}`);
  return `${lines.join('\n')}\n`;
}

function goEnv({ go }: RegistrySettings): string {
  if (go.proxies.length === 0) return '';
  const proxy = `GOPROXY=${INSIDE_URL}/go${go.allowsDirect ? ',direct' : ''}`;
  const others = Object.entries(go.forwarded).map(([name, value]) => `${name}=${value}`);
  return `${[proxy, ...others].join('\n')}\n`;
}

/** Source replacement: Cargo.lock then names the replaced registry, as outside. */
function cargoConfig({ cargo }: RegistrySettings): string {
  return [...cargo.registries]
    .map(([name, { index }]) => {
      const mirror = `[source.ship-${name}]\nregistry = "sparse+${INSIDE_URL}/cargo/${name}/"\n`;
      if (index === undefined)
        return `[source.crates-io]\nreplace-with = "ship-${name}"\n\n${mirror}`;
      const named = `[registries.${name}]\nindex = ${JSON.stringify(index)}\n`;
      const source = `[source.original-${name}]\nregistry = ${JSON.stringify(index)}\nreplace-with = "ship-${name}"\n`;
      return `${named}\n${source}\n${mirror}`;
    })
    .join('\n');
}

/** The owner's mirrors for the same repositories, under the same ids. */
function mavenSettings({ maven }: RegistrySettings): string {
  const mirrors = maven.mirrors.map(({ id, mirrorOf, url }) => {
    const address = url === undefined ? 'http://0.0.0.0/' : `${INSIDE_URL}/maven/${id}/`;
    const blocked = url === undefined ? '<blocked>true</blocked>' : '';
    const of = escapeXml(mirrorOf);
    return `<mirror><id>${id}</id><mirrorOf>${of}</mirrorOf><url>${address}</url>${blocked}</mirror>`;
  });
  return `<settings>\n<mirrors>\n${mirrors.join('\n')}\n</mirrors>\n</settings>\n`;
}
