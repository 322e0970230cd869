/** `template.json`: the npm packages that a template contains, and its links. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const insidePath = z
  .string()
  .regex(/^\/(?!.*(^|\/)\.\.(\/|$))/, 'must be an absolute path without ".."');

const packageSchema = z.strictObject({
  /** Target path, inside. */
  to: insidePath,
  /** Only this file of the package. */
  file: z.string().optional(),
  /** Includes all of its dependencies; `to` is then a node_modules folder. */
  withDependencies: z.boolean().optional(),
  /** Where to write a package-lock.json that lists the placed packages. */
  lockFile: insidePath.optional(),
  /** Skipped where the package does not exist for this processor. */
  isOptional: z.boolean().optional(),
});

const manifestSchema = z.strictObject({
  description: z.string(),
  /** `{arch}` in a name becomes this machine's: x64 or arm64. */
  packages: z.record(z.string(), packageSchema).default({}),
  links: z.record(insidePath, z.string()).default({}),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type PackageRule = z.infer<typeof packageSchema>;

export function readManifest(templateFolder: string): Manifest {
  const file = join(templateFolder, 'template.json');
  const parsed = manifestSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
}
