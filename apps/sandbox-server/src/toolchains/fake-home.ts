/** For tests: a home folder with toolchains as their installers lay them out, and secrets beside them. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const CANARY = 'canary-4e1d';

export interface FakeHome {
  home: string;
  usrLocal: string;
  link: (target: string, path: string) => void;
}

const program = (text: string): string => `#!/bin/sh\necho '${text}'\n`;

export function makeFakeHome(): FakeHome {
  const root = mkdtempSync(join(tmpdir(), 'ship-home-'));
  const home = join(root, 'home');
  const usrLocal = join(root, 'usr-local');
  const write = (path: string, text = '', mode = 0o644): void => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, text);
    chmodSync(file, mode);
  };
  const link = (target: string, path: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    symlinkSync(target, join(home, path));
  };
  const node = '.nvm/versions/node/v20.11.0';
  write(`${node}/bin/node`, program('v20.11.0'), 0o755);
  write(`${node}/lib/node_modules/npm/package.json`, '{}');
  write(`${node}/lib/node_modules/private-package/index.js`, CANARY);
  write(`${node}/etc/npmrc`, `//registry/:_authToken=${CANARY}`);
  const python = '.pyenv/versions/3.12.1';
  write(`${python}/bin/python3.12`, program('Python 3.12.1'), 0o755);
  link('python3.12', `${python}/bin/python3`);
  write(`${python}/bin/publish`, program(CANARY), 0o700);
  write(`${python}/pip.conf`, `index-url = https://user:${CANARY}@registry`);
  write(`${python}/lib/python3.12/os.py`, '# os');
  write(`${python}/include/python3.12/Python.h`, '// Python.h');
  write(`${python}/lib/python3.12/site-packages/private_package/__init__.py`, CANARY);
  const rust = '.rustup/toolchains/stable-x86_64-unknown-linux-gnu';
  // World-writable: only the read-only mount keeps a sandbox from writing there.
  write(`${rust}/bin/rustc`, program('rustc 1.80.0'), 0o777);
  chmodSync(join(home, rust, 'bin'), 0o777);
  write(
    `${rust}/lib/rustlib/multirust-channel-manifest.toml`,
    '[pkg.rustc]\nversion = "1.80.0 (x 2024)"\n',
  );
  write(
    '.rustup/settings.toml',
    `default_toolchain = "stable-x86_64-unknown-linux-gnu"\n[overrides]\n"/${CANARY}" = "x"\n`,
  );
  write('.cargo/bin/rustup', program('rustup'), 0o755);
  write('.cargo/credentials.toml', CANARY);
  link('../../../secrets', '.rustup/toolchains/linked');
  write('secrets/bin/rustc', CANARY, 0o755);
  write('.local/share/mise/installs/go/1.22.1/bin/go', program('go'), 0o755);
  write('.local/share/mise/installs/go/1.22.1/VERSION', 'go1.22.1\n');
  link('1.22.1', '.local/share/mise/installs/go/latest');
  write('.sdkman/candidates/java/21.0.2-tem/bin/java', program('java'), 0o755);
  write('.sdkman/candidates/java/21.0.2-tem/release', 'JAVA_VERSION="21.0.2"\n');
  write('.asdf/installs/nodejs/18.19.0/bin/node', program('v18.19.0'), 0o700);
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  // A real program that answers --version with a number.
  copyFileSync('/usr/bin/true', join(home, '.local/bin/uv'));
  write('.local/bin/uvx', program('a script'), 0o755);
  mkdirSync(usrLocal);
  return { home, usrLocal, link };
}
