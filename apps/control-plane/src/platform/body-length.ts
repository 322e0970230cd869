/**
 * A body cannot be longer than it says: one that is short enough may be read in one go, because piece by piece costs a
 * turn of the loop for every four kilobytes. One that says nothing must be counted while it is read.
 */
export function saysAtMost({ headers }: Request, maxBytes: number): boolean {
  const said = headers.get('content-length');
  return said !== null && Number(said) <= maxBytes;
}
