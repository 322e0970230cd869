import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/workspace/schema.ts',
  out: './src/workspace/drizzle',
});
