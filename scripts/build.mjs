// Builds the page if its sources changed, and precompresses its files.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './node.mjs';

const STAMP = 'dist/.sources-sha256';
const LAYERS = ['src', 'contract', 'machines', 'workers'];

const listFiles = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

function sourceHash() {
  const hash = createHash('sha256');
  for (const file of [
    ...LAYERS.flatMap(listFiles),
    'vite.config.ts',
    'server/platform/http/security-headers.ts',
    'package-lock.json',
  ])
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

export async function build(node) {
  const hash = sourceHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return 0;
  const code =
    (await run(['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], { node })) ||
    (await run(['server/platform/http/precompress.ts', 'dist'], { node }));
  if (code === 0) writeFileSync(STAMP, hash);
  return code;
}
