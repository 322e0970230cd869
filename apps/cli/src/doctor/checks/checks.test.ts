import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { checkDisk } from './capacity.ts';
import { describeIds } from './ids.ts';
import { remedyFor } from './isolation.ts';
import { checkNode } from './node.ts';
import { checkPort } from './port.ts';
import { checkPrograms } from './programs.ts';
import { describeToolchains } from './toolchains.ts';

it('[DR1] an old Node fails with a remedy', () => {
  expect(checkNode('24.1.0').verdict).toBe('pass');
  expect(checkNode('20.20.2')).toMatchObject({
    verdict: 'fail',
    remedy: expect.stringContaining('npm start'),
  });
});

it('[DR1] a missing program names its Debian package; one for tests only is a warning', () => {
  const findings = checkPrograms(['/nonexistent']);
  expect(findings.find(({ check }) => check === 'bwrap')).toMatchObject({
    verdict: 'fail',
    remedy: 'sudo apt-get install -y bubblewrap',
  });
  expect(findings.find(({ check }) => check.startsWith('chromium'))?.verdict).toBe('warn');
});

it('[DR1] a busy port is detected, with a remedy', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  expect(await checkPort(address.port, '/nonexistent')).toMatchObject({
    verdict: 'warn',
    remedy: expect.stringContaining('--port'),
  });
});

it('[DR1] each kind of refused namespaces has its own remedy', () => {
  expect(remedyFor('spawn bwrap ENOENT')).toContain('apt-get install');
  expect(remedyFor('bwrap: setting up uid map: Permission denied')).toContain('sysctl');
  expect(remedyFor('something else')).toContain('bwrap --unshare-all');
});

it('[UI2] a single id is a warning with the command to add ids', () => {
  const remedy = 'sudo apt-get install -y uidmap';
  expect(describeIds({ detail: 'one id', remedy })).toMatchObject({ verdict: 'warn', remedy });
  expect(describeIds({ detail: 'two', remedy: undefined }).verdict).toBe('pass');
});

it('checks the disk of a folder that does not exist yet', () => {
  expect(checkDisk('/tmp/not/yet/there').detail).toContain('/tmp');
});

it('[TL1] toolchains are listed with version and folder; one that cannot be shown has a remedy', () => {
  const go = { name: 'go', origin: 'mise', onPath: true };
  const findings = describeToolchains({
    entries: [
      { ...go, version: '1.22.1', bin: '/run/toolchains/go/1.22.1/bin' },
      { ...go, version: null, bin: '/usr/bin', origin: 'system' },
    ],
    refused: [{ name: 'node', path: '/home/me/.nvm', reason: 'chmod -R o+rX it' }],
  });
  expect(findings).toEqual([
    {
      check: 'go',
      verdict: 'pass',
      detail: '1.22.1 (mise, /run/toolchains/go/1.22.1/bin); version unknown (system, /usr/bin)',
    },
    {
      check: 'node',
      verdict: 'warn',
      detail: '/home/me/.nvm cannot be shown to sandboxes',
      remedy: 'chmod -R o+rX it',
    },
  ]);
});
