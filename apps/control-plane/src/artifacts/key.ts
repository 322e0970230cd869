import { fail } from '@ship/protocol';

const MAX_KEY_LENGTH = 512;
/** No segment starts with a dot or a dash, none is empty: a key is never a way out of its folder, nor an option. */
const KEY = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9_][A-Za-z0-9._-]{0,127}){0,7}$/;
const CONTENT_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(; ?[\w-]{1,40}=[\w.+-]{1,60})?$/;

/** The key as it is, if it is safe in a path and in a URL. */
export function artifactKey(text: string): string {
  if (text.length <= MAX_KEY_LENGTH && KEY.test(text)) return text;
  return fail(
    'invalid-input',
    'This is no key of an artifact.',
    'Use up to 8 names of letters, digits, ".", "_" and "-", separated by slashes.',
  );
}

/** It is sent as a header later: a line break in it would be a header of somebody else's choice. */
export function artifactContentType(text: string): string {
  if (CONTENT_TYPE.test(text)) return text;
  return fail(
    'invalid-input',
    'This is no content type.',
    'It looks like text/plain; charset=utf-8.',
  );
}
