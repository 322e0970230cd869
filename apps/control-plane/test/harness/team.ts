/** The control plane in team mode: real workerd with the configuration of a deployment. */
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TokenCreated } from '@ship/protocol';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import type { LaunchBindings } from '../../launch.ts';
import { Api } from './api.ts';
import { ControlPlane } from './control-plane.ts';
import { type RawAnswer, type RawRequest, askRaw } from './raw-http.ts';

const CONFIG = fileURLToPath(new URL('../../workerd.capnp', import.meta.url));

export const OWNER_TOKEN = 'owner-token-of-the-tests-'.padEnd(40, '7');
export const SECRETS_KEY = '0123456789abcdef'.repeat(4);

/** `ship deploy` sets these as variables of the Worker; workerd reads them from its configuration file. */
function teamConfig(folder: string): string {
  const local = '(name = "AUTH_MODE", text = "local")';
  const team = `(name = "AUTH_MODE", text = "team"), (name = "OWNER_TOKEN", text = "${OWNER_TOKEN}")`;
  const file = join(folder, 'team.capnp');
  writeFileSync(file, readFileSync(CONFIG, 'utf8').replace(local, team));
  // The configuration refers to the built Worker by a relative path.
  symlinkSync(join(dirname(CONFIG), 'dist'), join(folder, 'dist'));
  return file;
}

export interface Member {
  tokenId: string;
  value: string;
  api: Api;
}

export class Team {
  readonly plane: ControlPlane;
  readonly owner: Api;
  readonly #onClose: () => Promise<void> | void;

  private constructor(plane: ControlPlane, onClose: () => Promise<void> | void) {
    this.plane = plane;
    this.owner = new Api(plane.url, OWNER_TOKEN);
    this.#onClose = onClose;
  }

  /** Without `folder`, the team uses a temporary folder and deletes it on close. */
  static async open(bindings: Partial<LaunchBindings> = {}, folder?: string): Promise<Team> {
    const dataFolder = folder ?? mkdtempSync(join(tmpdir(), 'ship-team-'));
    const variables = { LOCAL_TOKEN: '', SECRETS_KEYS: SECRETS_KEY, ...bindings };
    const plane = await ControlPlane.start(dataFolder, variables, teamConfig(dataFolder));
    return new Team(plane, () => (folder === undefined ? removeFolder(dataFolder) : undefined));
  }

  /** The origin that a browser on this machine uses. */
  get origin(): string {
    return `http://ship.localhost:${this.plane.port}`;
  }

  get host(): string {
    return `ship.localhost:${this.plane.port}`;
  }

  ask(request: RawRequest): Promise<RawAnswer> {
    const headers = { host: this.host, ...request.headers };
    return askRaw(this.plane.port, { ...request, headers });
  }

  async member(name: string): Promise<Member> {
    const made = TokenCreated.parse(await this.owner.ask('POST', '/tokens', { name }));
    return {
      tokenId: made.token.tokenId,
      value: made.value,
      api: new Api(this.plane.url, made.value),
    };
  }

  async revoke({ tokenId }: Member): Promise<void> {
    await this.owner.ask('DELETE', `/tokens/${tokenId}`);
  }

  /** The headers of the web app in a browser with this cookie. */
  ownPage(cookie: string): Record<string, string> {
    return { origin: this.origin, 'sec-fetch-site': 'same-origin', cookie };
  }

  signIn(body: object, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return this.ask({
      method: 'POST',
      path: '/api/sign-in',
      headers: { origin: this.origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** The cookie of a browser that signed in with a token. */
  async cookieOf(token: string): Promise<string> {
    return cookieIn(await this.signIn({ token }));
  }

  async close(): Promise<void> {
    await this.plane.kill();
    await this.#onClose();
  }
}

/** The `name=value` that a browser sends back; empty when the response sets no cookie. */
export const cookieIn = ({ headers }: RawAnswer): string =>
  (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
