import { describe, expect, it } from 'vitest';
import { missingSubmodules } from './checkout-notes.ts';

const id = 'a'.repeat(40);

describe('[GW26] submodules of a fresh clone', () => {
  it('are named with the reason, whatever .gitmodules says', () => {
    const listing = ['160000', '160000', '100644']
      .map((mode, index) => `${mode} ${id} 0\t${['lib/one', 'two', 'file'][index]}`)
      .join('\0');
    const config =
      'submodule.x.y.path\nlib/one\0submodule.x.y.url\nhttps://me:secret@forge.example/\u001b[31mone.git\0submodule.other.url\nunused\0';
    expect(missingSubmodules(listing, config)).toEqual([
      {
        path: 'lib/one',
        reason: 'a session reaches its own repository only, not https://forge.example/ [31mone.git',
      },
      { path: 'two', reason: '.gitmodules has no address for it' },
    ]);
  });

  it('are none without links', () => {
    expect(missingSubmodules('', 'submodule.a.path\na\0submodule.a.url\nu\0')).toEqual([]);
  });
});
