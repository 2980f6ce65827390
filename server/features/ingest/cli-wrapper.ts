import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { evaluateConditions } from '#server/platform/http/conditions.ts';

const NAME = 'daybook-run.mjs';

/**
 * Serves the script that runs a command and reports it. It is public, because it contains no data
 * of a provider. The file is read once.
 */
export function wrapRoutes(app: Hono): void {
  const text = readFileSync(join(import.meta.dirname, '../../../cli-wrapper', NAME), 'utf8');
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  app.get(`/${NAME}`, ({ req }) => {
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      'content-disposition': `attachment; filename="${NAME}"`,
      'cache-control': 'no-cache',
      'etag': tag,
    };
    const conditions = evaluateConditions(req.raw.headers, tag);
    if (conditions === 'failed') return new Response(null, { status: 412, headers: { etag: tag } });
    return conditions === 'not-modified'
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers });
  });
}
