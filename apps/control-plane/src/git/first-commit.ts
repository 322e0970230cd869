import type { SessionFacts } from './deps.ts';
import { joined } from './gateway/pkt-line.ts';

/**
 * The commit without files that a session in an empty repository starts from. Only the sandbox has it until there is work to
 * deliver; then the control plane pushes the same object to the base branch, so that the work has something to be compared
 * with. Derived from constant facts of the session: every call gives the same id.
 */
export interface FirstCommit {
  sha: string;
  /** The commit object as git stores it. */
  text: string;
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const AUTHOR = 'Ship <ship@users.noreply.local>';
const MESSAGE =
  'Initial commit\n\nNo files: made by Ship so that the first change can be proposed as a pull request.';

export async function firstCommit({
  sessionId,
  createdAtMs,
}: Pick<SessionFacts, 'sessionId' | 'createdAtMs'>): Promise<FirstCommit> {
  const by = `${AUTHOR} ${Math.floor(createdAtMs / 1000)} +0000`;
  const text = `tree ${EMPTY_TREE}\nauthor ${by}\ncommitter ${by}\n\n${MESSAGE}\n\nShip-Session: ${sessionId}\n`;
  const content = encoded(text);
  return { sha: hex(await sha1(joined([encoded(`commit ${content.length}\0`), content]))), text };
}

const COMMIT = 1;
const TREE = 2;

/** The pack of a push: the commit and its empty tree. */
export async function packOf({ text }: FirstCommit): Promise<Uint8Array<ArrayBuffer>> {
  const objects = [await packed(COMMIT, encoded(text)), await packed(TREE, new Uint8Array(0))];
  const header = new Uint8Array([...encoded('PACK'), 0, 0, 0, 2, 0, 0, 0, objects.length]);
  const pack = joined([header, ...objects]);
  return joined([pack, await sha1(pack)]);
}

/** Type and size, seven bits per byte (four of the size in the first byte), then the compressed content. */
async function packed(type: number, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  let rest = content.length >> 4;
  let byte = (type << 4) | (content.length & 15);
  const head: number[] = [];
  for (; rest > 0; rest >>= 7) {
    head.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  head.push(byte);
  const deflated = new Blob([content]).stream().pipeThrough(new CompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  return joined([new Uint8Array(head), bytes]);
}

const encoded = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const sha1 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest('SHA-1', bytes));
const hex = (bytes: Uint8Array) =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
