import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import { ASSET_BYTES } from '#contract/branding/edit-calls.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { callerReader } from '../../platform/http/client-address.ts';
import { evaluateConditions } from '../../platform/http/conditions.ts';
import { TOO_LARGE } from '../../platform/http/envelope.ts';
import { tenantReader } from '../../platform/http/tenant.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { cleanSvg } from './clean-svg.ts';
import { gatewayMessages as t } from './messages.en.ts';

type Asset = Omit<ParsedInputOf<'putBrandAsset'>, 'id'>;

/** Stores a sanitized image and runs `then` with its address in the same transaction. */
export async function keepAsset(
  context: AppContext,
  tenant: TenantId,
  { name, type, base64 }: Asset,
  at: Ms,
  then: (tx: TenantTx, url: string) => Promise<void>,
): Promise<Result<OutputOf<'putBrandAsset'>>> {
  const sent = Buffer.from(base64, 'base64');
  if (sent.byteLength > ASSET_BYTES) return failed(TOO_LARGE);
  const stored = type === 'image/svg+xml' ? svgBytes(sent) : beginsAs(sent, type) ? sent : null;
  if (stored === null)
    return failed({
      kind: 'bad-input',
      message: MESSAGES.badInput,
      issues: [{ path: 'base64', message: t.notThisType }],
    });
  const hash = createHash('sha256').update(stored).digest('base64url').slice(0, 22);
  const url = `/brand/${name}?v=${hash}`;
  const row = { type, base64: stored.toString('base64'), hash, at };
  await context.store.tenant(tenant, async (tx) => {
    await tx.sql
      .insertInto('brand_asset')
      .values({ tenant_id: tenant, name, ...row })
      .onConflict((on) => on.columns(['tenant_id', 'name']).doUpdateSet(row))
      .execute();
    await then(tx, url);
  });
  return ok({ url, bytes: stored.byteLength, changed: !stored.equals(sent) });
}

/** Returns the sanitized SVG; null if it is not an SVG or nothing remains. */
function svgBytes(sent: Buffer): Buffer | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(sent);
  } catch {
    return null;
  }
  const clean = cleanSvg(text);
  return clean === null ? null : Buffer.from(clean, 'utf8');
}

/** Checks the type by the first bytes, regardless of the declared type. */
function beginsAs(bytes: Buffer, type: Asset['type']): boolean {
  const hex = bytes.subarray(0, 12).toString('hex');
  switch (type) {
    case 'image/png':
      return hex.startsWith('89504e470d0a1a0a');
    case 'image/jpeg':
      return hex.startsWith('ffd8ff');
    case 'image/x-icon':
      return hex.startsWith('00000100');
    case 'image/webp':
      return hex.startsWith('52494646') && hex.slice(16, 24) === '57454250';
    case 'image/svg+xml':
      return false;
  }
}

/** No script in an image can run, even if the image is opened directly. */
const ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * `/brand/<name>?v=<hash>`: the images of the provider at the request's host. An address with a
 * hash is immutable.
 */
export function assetRoutes(context: AppContext): (app: Hono) => void {
  const loadTenant = tenantReader(context);
  const getCaller = callerReader(context.config.trustedProxies);
  return (app) => {
    app.get('/brand/:name', async (hono) => {
      const { req } = hono;
      const tenant = await loadTenant(getCaller(req.raw, hono.env).host);
      const name = req.param('name');
      const row =
        tenant === null
          ? undefined
          : await context.store.tenant(
              tenant,
              ({ sql }) =>
                sql
                  .selectFrom('brand_asset')
                  .selectAll()
                  .where('tenant_id', '=', tenant)
                  .where('name', '=', name)
                  .executeTakeFirst(),
              { readOnly: true },
            );
      if (!row)
        return new Response('Not found\n', {
          status: 404,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        });
      const headers = {
        'content-type': row.type,
        'etag': `"${row.hash}"`,
        'content-security-policy': ALONE,
        'x-content-type-options': 'nosniff',
        'content-disposition': 'inline',
        'cache-control':
          req.query('v') === row.hash ? 'public, max-age=31536000, immutable' : 'no-cache',
      };
      if (evaluateConditions(req.raw.headers, headers.etag) === 'not-modified')
        return new Response(null, { status: 304, headers });
      return new Response(Buffer.from(row.base64, 'base64'), { headers });
    });
  };
}
