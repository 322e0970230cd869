import { expect, it } from 'vitest';
import { boundaryOf, parseDisposition, readMultipart } from './multipart.ts';

async function* chunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function parse(text: string, size: number) {
  const parts: Array<{ name: string; filename: string | undefined; body: string }> = [];
  for await (const part of readMultipart(chunks(text, size), 'B')) {
    let body = '';
    for await (const bytes of part.body) body += bytes.toString('latin1');
    parts.push({ name: part.name, filename: part.filename, body });
  }
  return parts;
}

const FORM = [
  '--B\r\nContent-Disposition: form-data; name="file"; filename="/a b.txt"\r\n\r\nline\r\n--Bx\r\n-\r\n',
  '--B\r\nContent-Disposition: form-data; name="file"; filename="empty"\r\n\r\n\r\n',
  '--B--\r\n',
].join('');

it('reads the same parts however the body is split', async () => {
  for (const size of [1, 2, 3, 7, 1000]) {
    // "\r\n--Bx" starts like a boundary: a part that contains it is malformed, as for every parser.
    await expect(parse(FORM, size)).rejects.toThrow('boundary');
    expect(await parse(FORM.replace('\r\n--Bx', '\r\n--Cx'), size)).toEqual([
      { name: 'file', filename: '/a b.txt', body: 'line\r\n--Cx\r\n-' },
      { name: 'file', filename: 'empty', body: '' },
    ]);
  }
});

it('skips unread parts', async () => {
  const names: string[] = [];
  const form = FORM.replace('\r\n--Bx', '');
  for await (const part of readMultipart(chunks(form, 5), 'B')) names.push(part.filename ?? '');
  expect(names).toEqual(['/a b.txt', 'empty']);
});

it('reports a truncated body', async () => {
  await expect(parse(FORM.replace('\r\n--Bx', '').slice(0, 60), 9)).rejects.toThrow('ended before');
  await expect(parse('', 9)).rejects.toThrow('ended before');
  await expect(parse(`--B\r\n${'x'.repeat(20_000)}`, 999)).rejects.toThrow('headers larger');
});

it('reads names with quotes, escapes and other alphabets', () => {
  expect(
    parseDisposition('Content-Disposition: form-data; name="file"; filename="a%22b"').filename,
  ).toBe('a"b');
  expect(
    parseDisposition('content-disposition: form-data; name="f"; filename*=UTF-8\'\'%C3%BC')
      .filename,
  ).toBe('ü');
  expect(boundaryOf('multipart/form-data; boundary="a b"')).toBe('a b');
  expect(boundaryOf('multipart/form-data')).toBeUndefined();
});
