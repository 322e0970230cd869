import { TOOL_NAMES } from '@ship/sandbox-server';
import { expect, it } from 'vitest';
import { TOOLCHAIN_NAMES } from '../toolchain-names.ts';
import { parseToolchains } from './toolchains.ts';

it('[TL1] --toolchains takes auto, none or names', () => {
  expect(parseToolchains('auto')).toBe('auto');
  expect(parseToolchains('none')).toBe('none');
  expect(parseToolchains('rust, go')).toEqual(['rust', 'go']);
  expect(() => parseToolchains('rust,cobol')).toThrow('names from bun, deno, go');
  expect(() => parseToolchains('')).toThrow('auto, none');
});

it('names the same tools as the sandbox server', () => {
  expect(TOOLCHAIN_NAMES).toEqual(TOOL_NAMES);
});
