import { describe, expect, it } from 'vitest';
import { findSources } from './find-sources.ts';

const scope = {
  repositoryName: 'app',
  folder: '/home/user/repository',
  secretNames: [],
  devcontainerId: 'id',
};
const rowsOf = (files: Record<string, string>) =>
  findSources(files, scope).flatMap(({ rows }) =>
    rows.map(({ item, applied, why }) => `${applied ? '+' : '-'} ${item}: ${why}`),
  );

describe('environment files, read without dropping a part', () => {
  it('[DE10] an unknown devcontainer field, or one without effect, is listed', () => {
    const rows = rowsOf({
      '.devcontainer/devcontainer.json': JSON.stringify({
        $schema: 'https://example.com/schema.json',
        name: 'app',
        image: 'mcr.microsoft.com/devcontainers/base:ubuntu',
        otherPortsAttributes: { onAutoForward: 'ignore' },
        overrideFeatureInstallOrder: ['node'],
        postCreateCommands: 'npm ci',
      }),
    });
    expect(rows).toEqual([
      '- image: mcr.microsoft.com/devcontainers/base:ubuntu is not pulled, and its name names no tool',
      '- otherPortsAttributes: only ports that the file names get a label',
      '- overrideFeatureInstallOrder: features are not installed',
      '- postCreateCommands: Ship does not know this field',
    ]);
  });

  it('[DE10] a Dockerfile or compose file that was not read is not reported as compared', () => {
    const rows = rowsOf({
      '.devcontainer/devcontainer.json': JSON.stringify({
        build: { dockerfile: '../ops/images/Dockerfile' },
        dockerComposeFile: ['../ops/compose.dev.yml'],
      }),
    });
    expect(rows).toEqual([
      '- build: ops/images/Dockerfile is not built, and Ship did not find it or does not read files there',
      '- dockerComposeFile: no container starts; see its services',
      '- dockerComposeFile ops/compose.dev.yml: Ship did not find it or does not read files there',
    ]);
  });

  it('[DE10] a compose service behind a profile, and parts that a native server ignores, are listed', () => {
    const rows = rowsOf({
      'compose.yaml': `services:
  db:
    image: postgres:16
    env_file: .env
    volumes: ["./init.sql:/docker-entrypoint-initdb.d/init.sql", "data:/var/lib/postgresql/data"]
  search: { image: "elasticsearch:8", profiles: [full] }
`,
    });
    expect(rows).toEqual([
      '- service db: env_file: files with variables are not read; set them under environment, or as secrets',
      '- service db: /docker-entrypoint-initdb.d: scripts of the image do not run; load them in .ship/setup.sh',
      '- service search: only in the profile full',
    ]);
  });
});
