import { sanitizeForgeMessage, saying, transferRefusal } from '@ship/core';
import { ShipFailure, shipError } from '@ship/protocol';
import { type FirstCommit, packOf } from '../first-commit.ts';
import { FLUSH, joined, packet, parseLength } from '../gateway/pkt-line.ts';
import { errorText } from './error-text.ts';

const NO_OBJECT = '0'.repeat(40);
/** Far more than the report about one ref. */
const MAX_REPORT_BYTES = 64 * 1024;

interface PushTarget {
  /** The repository's address, without a slash at the end. */
  remote: string;
  headers: Headers;
  fetcher: typeof fetch;
}

/**
 * Pushes the first commit of an empty repository by git's own protocol, because GitHub's REST API refuses to create commits
 * there. The sandbox is not involved, and gets no right to push to the base. Fails when the forge refuses.
 */
export async function createBranch(
  { remote, headers, fetcher }: PushTarget,
  branch: string,
  first: FirstCommit,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const command = packet(`${NO_OBJECT} ${first.sha} ${ref}\0 report-status side-band-64k\n`);
  headers.set('content-type', 'application/x-git-receive-pack-request');
  const answer = await fetcher(`${remote}/git-receive-pack`, {
    method: 'POST',
    headers,
    body: joined([command, FLUSH, await packOf(first)]),
    redirect: 'manual',
  });
  if (!answer.ok) {
    const refusal = transferRefusal(answer.status, await errorText(answer));
    if (refusal !== undefined) throw new ShipFailure(refusal);
    throw Object.assign(new Error('the forge refused a push'), { status: answer.status });
  }
  const { report, printed } = readReport(await head(answer));
  if (report.includes(`ok ${ref}`)) return;
  const [, reason = 'it gave no reason'] = /(?:^|\n)[^\n]{0,4}ng \S+ ([^\n]*)/.exec(report) ?? [];
  const stated = sanitizeForgeMessage(printed === '' ? reason : `${printed} (${reason})`);
  throw new ShipFailure(
    shipError(
      'push-refused',
      `The repository is empty, and the forge refused an empty first commit on ${branch}${saying(stated)}`,
      `Make a first commit on ${branch} yourself, then retry; the work is kept.`,
    ),
  );
}

async function head(answer: Response): Promise<Uint8Array> {
  const reader = answer.body?.getReader();
  const chunks: Uint8Array[] = [];
  if (reader === undefined) return joined(chunks);
  for (let size = 0; size < MAX_REPORT_BYTES;) {
    const { done, value } = await reader.read();
    if (done) break;
    const chunk = new Uint8Array(value);
    chunks.push(chunk);
    size += chunk.length;
  }
  await reader.cancel();
  return joined(chunks);
}

/** Band 1 has the report, band 2 the output of the forge and its hooks. */
function readReport(bytes: Uint8Array): { report: string; printed: string } {
  const bands = ['', '', ''];
  for (let at = 0; at + 4 < bytes.length;) {
    const length = parseLength(bytes, at);
    if (length === undefined || length < 4) break;
    const band = bytes[at + 4] ?? 0;
    bands[band] =
      (bands[band] ?? '') + new TextDecoder().decode(bytes.subarray(at + 5, at + length));
    at += length;
  }
  return { report: bands[1] ?? '', printed: (bands[2] ?? '').trim() };
}
