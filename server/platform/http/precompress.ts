import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const br = promisify(brotliCompress);
const gz = promisify(gzip);
const COMPRESSIBLE = new Set([
  '.js',
  '.css',
  '.html',
  '.svg',
  '.json',
  '.webmanifest',
  '.wasm',
  '.map',
  '.txt',
]);

/**
 * Writes missing `.br` (quality 11) and `.gz` siblings of compressible files. Returns how many
 * files it wrote.
 */
export async function precompress(dir: string): Promise<number> {
  let written = 0;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name.startsWith('.') || !COMPRESSIBLE.has(extname(file))) continue;
    const bytes = readFileSync(file);
    const siblings = [
      [
        `${file}.br`,
        () =>
          br(bytes, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: 11,
              [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
              [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
            },
          }),
      ],
      [`${file}.gz`, () => gz(bytes, { level: 9 })],
    ] as const;
    for (const [name, make] of siblings) {
      if (existsSync(name)) continue;
      await writeFile(name, await make());
      written += 1;
    }
  }
  return written;
}

// As a build step: `node server/platform/http/precompress.ts <folder>`.
if (import.meta.main) await precompress(process.argv[2] ?? 'dist');
