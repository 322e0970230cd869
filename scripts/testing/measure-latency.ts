/**
 * `node measure-latency.ts TOKEN EVERY_MS NAME=URL…`: calls each address repeatedly until its input ends, then prints how long
 * the calls took, by name. It runs in a separate process: a test that carries an attacker's traffic would measure itself.
 */
const [token, everyMs, ...targets] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };

const over = new AbortController();
process.stdin.resume().on('end', () => over.abort());

async function measure(url: string): Promise<number[]> {
  const taken: number[] = [];
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    taken.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, Number(everyMs)));
  }
  return taken;
}

const measured = await Promise.all(
  targets.map(async (target) => {
    const [name = '', url = ''] = target.split(/=(.*)/s);
    return [name, await measure(url)] as const;
  }),
);
process.stdout.write(JSON.stringify(Object.fromEntries(measured)), () => process.exit(0));
