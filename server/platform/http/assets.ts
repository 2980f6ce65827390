import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { chosenCoding } from './compress.ts';
import { evaluateConditions } from './conditions.ts';

interface Variant {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}
interface Asset {
  readonly type: string;
  readonly cache: string;
  readonly plain: Variant;
  readonly br: Variant | null;
  readonly gzip: Variant | null;
}

/**
 * The built page in memory, by path. A path that is not in the map can't be reached, whatever it
 * contains.
 */
export type Assets = ReadonlyMap<string, Asset>;

/**
 * Reads a folder of built files with their `.br` and `.gz` siblings. Returns null if it holds no
 * page.
 */
export function readAssets(dir: string): Assets | null {
  if (!existsSync(join(dir, 'index.html'))) return null;
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = new Set(files);
  return new Map(
    files
      .filter((file) => !isSibling(file, all) && !basename(file).startsWith('.'))
      .map((file): [string, Asset] => {
        const path = `/${relative(dir, file).split(sep).join('/')}`;
        const variant = (name: string, tag: string): Variant | null =>
          all.has(name) || tag === '' ? readVariant(name, tag) : null;
        const plain = readVariant(file, '');
        return [
          path,
          {
            type: TYPES[extname(file)] ?? 'application/octet-stream',
            cache: HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
            plain,
            br: variant(`${file}.br`, '-br'),
            gzip: variant(`${file}.gz`, '-gz'),
          },
        ];
      }),
  );
}

/** Serves a file, or the page itself for a navigation (single-page app). */
export function serveAsset(assets: Assets, request: Request): Response {
  const { pathname } = new URL(request.url);
  const wantsPage = pathname === '/' || (request.headers.get('accept') ?? '').includes('text/html');
  const file = assets.get(decoded(pathname));
  const asset = file ?? (wantsPage ? assets.get('/index.html') : undefined);
  if (!asset)
    return new Response('Not found\n', {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  const offered = [...(asset.br ? ['br' as const] : []), ...(asset.gzip ? ['gzip' as const] : [])];
  const coding = chosenCoding(request.headers.get('accept-encoding'), offered);
  const variant =
    (coding === 'br' ? asset.br : coding === 'gzip' ? asset.gzip : null) ?? asset.plain;
  const headers = new Headers({
    'content-type': asset.type,
    'cache-control': asset.cache,
    'etag': variant.etag,
    'vary': file ? 'accept-encoding' : 'accept, accept-encoding',
  });
  if (evaluateConditions(request.headers, variant.etag) === 'not-modified')
    return new Response(null, { status: 304, headers });
  if (variant !== asset.plain && coding !== null) headers.set('content-encoding', coding);
  headers.set('content-length', String(variant.bytes.byteLength));
  return new Response(variant.bytes, { headers });
}

/** Vite puts the content hash into the name, so such a file never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8}\.\w+$/;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};

const isSibling = (file: string, all: ReadonlySet<string>): boolean =>
  /\.(br|gz)$/.test(file) && all.has(file.replace(/\.(br|gz)$/, ''));

function readVariant(file: string, tag: string): Variant {
  const bytes = new Uint8Array(readFileSync(file));
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}${tag}"`,
  };
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
