import { fail } from '@ship/protocol';

const MAX_KEY_LENGTH = 512;
/** No segment is empty or starts with a dot or a dash: a key can neither leave its folder nor act as an option. */
const KEY = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9_][A-Za-z0-9._-]{0,127}){0,7}$/;
const CONTENT_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(; ?[\w-]{1,40}=[\w.+-]{1,60})?$/;

/** Returns the key if it is safe in a path and in a URL. */
export function artifactKey(text: string): string {
  if (text.length <= MAX_KEY_LENGTH && KEY.test(text)) return text;
  return fail(
    'invalid-input',
    'This is not a valid artifact key.',
    'Use up to 8 names of letters, digits, ".", "_" and "-", separated by slashes.',
  );
}

/** It becomes a header later: a line break in it would inject another header. */
export function artifactContentType(text: string): string {
  if (CONTENT_TYPE.test(text)) return text;
  return fail(
    'invalid-input',
    'This is not a valid content type.',
    'Use a type such as text/plain; charset=utf-8.',
  );
}
