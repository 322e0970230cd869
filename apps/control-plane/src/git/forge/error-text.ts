import { sanitizeForgeMessage } from '@ship/core';

const MAX_WORDS_BYTES = 2_000;

/** The forge's own reason, which git would show. Plain text only: an HTML page of a proxy is no reason. */
export async function errorText(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return '';
  if (!/^text\/plain\b/i.test(answer.headers.get('content-type') ?? '')) {
    await reader.cancel().catch(() => undefined);
    return '';
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let size = 0; size < MAX_WORDS_BYTES; size += chunks.at(-1)?.length ?? 0) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(new Uint8Array(value));
    }
  } catch {
    // The status alone must do.
  }
  await reader.cancel().catch(() => undefined);
  return sanitizeForgeMessage(
    new TextDecoder().decode(await new Blob(chunks).arrayBuffer()).slice(0, MAX_WORDS_BYTES),
  );
}
