import { describe, expect, it } from 'vitest';
import { teamEnvironment } from '../environment/team-preparation.ts';
import { chooseSetup } from './setup.ts';

const team = (files: Record<string, string>, programs: Record<string, string> = {}) =>
  teamEnvironment({
    texts: files,
    programs,
    folder: '/repository',
    location: '/home/me/shop',
    secretNames: [],
    setupBy: null,
    startBy: null,
  });
const DEVCONTAINER = '.devcontainer/devcontainer.json';

describe('which setup', () => {
  const none = team({});
  const facts = { setting: null, hasOwnScript: false, team: none };
  const described = team({
    [DEVCONTAINER]: `{
    // "postCreateCommand": "no",
    "image": "https://example.com//x", /* two */
    "postCreateCommand": "npm ci",
  }`,
  });

  it('[RS1] the setting, the repository’s own script, then the files of its team', () => {
    expect(chooseSetup({ setting: 'a', hasOwnScript: true, team: described })?.command).toBe('a');
    expect(chooseSetup({ ...facts, hasOwnScript: true, team: described })).toEqual({
      command: 'bash .ship/setup.sh',
      script: 'bash .ship/setup.sh',
      source: '.ship/setup.sh',
    });
    const chosen = chooseSetup({ ...facts, team: described });
    expect(chosen?.command).toBe('npm ci');
    expect(chosen?.source).toBe(`postCreateCommand in ${DEVCONTAINER}`);
    expect(chosen?.script).toContain("ship_step 'postCreateCommand' command 'npm ci'");
    expect(chooseSetup(facts)).toBeNull();
  });

  it('[DE8] every setup runs with the services of a compose file', () => {
    const services = team(
      { 'compose.yaml': 'services: { c: { image: redis } }' },
      { 'redis-server': '' },
    );
    const chosen = chooseSetup({ setting: "echo 'x'", hasOwnScript: false, team: services });
    expect(chosen?.command).toBe("echo 'x'");
    expect(chosen?.script).toContain('ship_service redis c 6379');
    expect(chosen?.script).toContain(String.raw`ship_run 'echo '\''x'\'''`);
    expect(chooseSetup({ ...facts, team: services })).toBeNull();
  });
});
