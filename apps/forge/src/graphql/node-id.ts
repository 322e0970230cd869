/** Opaque GraphQL ids: a prefix for the kind, and an encoded key for the lookup. */
export type NodeKind =
  | 'U'
  | 'R'
  | 'PR'
  | 'I'
  | 'IC'
  | 'PRR'
  | 'PRRC'
  | 'LA'
  | 'C'
  | 'REF'
  | 'B'
  | 'SC'
  | 'CR';

export function nodeId(kind: NodeKind, ...parts: ReadonlyArray<string | number>): string {
  return `${kind}_${Buffer.from(parts.join(':')).toString('base64url')}`;
}

export function parseNodeId(id: string): { kind: string; key: string } | undefined {
  const match = /^([A-Z]{1,4})_([A-Za-z0-9_-]{1,200})$/.exec(id);
  const [, kind, encoded] = match ?? [];
  if (kind === undefined || encoded === undefined) return undefined;
  return { kind, key: Buffer.from(encoded, 'base64url').toString('utf8') };
}
