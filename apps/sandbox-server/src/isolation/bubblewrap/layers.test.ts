import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileOwner } from './file-owner.ts';
import { findHostTools } from './host-tools.ts';
import { Layers } from './layers.ts';
import { type Layout, layoutOf } from './layout.ts';

describe('layers on disk', () => {
  let layout: Layout;
  let layers: Layers;
  beforeEach(async () => {
    layout = layoutOf(mkdtempSync(join(tmpdir(), 'ship-layers-')));
    layers = new Layers(layout, await openFileOwner(findHostTools()));
  });
  afterEach(() => rmSync(layout.root, { recursive: true, force: true }));

  const at = (...path: string[]) => join(layout.layers, ...path);
  const build = async (name: string, text: string) => {
    const fs = join(await layers.stage(name), 'fs');
    mkdirSync(fs);
    writeFileSync(join(fs, 'file'), text);
    await layers.publish(name, []);
  };
  /** A layer's folder as a crash leaves it: files, with a missing or invalid record. */
  const breakLayer = (name: string, record?: string) => {
    mkdirSync(at(name, 'fs'), { recursive: true });
    writeFileSync(at(name, 'fs', 'file'), 'half');
    if (record !== undefined) writeFileSync(at(name, 'layer.json'), record);
  };

  it.each([undefined, '', '{"lowers"', '{}', 'null', '{"lowers":[1]}'])(
    '[SV9] a folder whose record is %j is removed, and the layer is built again',
    async (record) => {
      breakLayer('base', record);
      expect(layers.exists('base')).toBe(false);
      await build('base', 'whole');
      expect(layers.stack('base')).toEqual(['base']);
      expect(readFileSync(at('base', 'fs', 'file'), 'utf8')).toBe('whole');
      expect(readdirSync(layout.layers)).toEqual(['base']);
    },
  );

  it('[SV9] so is one that appears between stage and publish', async () => {
    mkdirSync(join(await layers.stage('base'), 'fs'));
    breakLayer('base');
    await layers.publish('base', []);
    expect(layers.list()).toEqual(['base']);
    expect(existsSync(at('base', 'fs', 'file'))).toBe(false);
    expect(readdirSync(layout.layers)).toEqual(['base']);
  });

  it('a layer with its record is never replaced, not even one that is marked for removal', async () => {
    await build('base', 'first');
    await expect(layers.stage('base')).rejects.toThrow('exists already');
    await layers.remove('base', new Set(['base']));
    expect(layers.exists('base')).toBe(false);
    await expect(layers.stage('base')).rejects.toThrow('exists already');
    expect(readFileSync(at('base', 'fs', 'file'), 'utf8')).toBe('first');
  });

  it('an unreadable record does not remove a layer', async () => {
    await build('base', 'first');
    rmSync(at('base', 'layer.json'));
    // EISDIR, also for root, who may read a file without permissions.
    mkdirSync(at('base', 'layer.json'));
    await expect(layers.stage('base')).rejects.toThrow('exists already');
    expect(readFileSync(at('base', 'fs', 'file'), 'utf8')).toBe('first');
  });
});
