import { createHmac, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { type ItemRow, type VersionRow, listVersions, readFileBytes } from './drive-store.ts';
import { digest } from './ids.ts';
import { typeOfFile } from './mail-content.ts';
import type { Tenant } from './store.ts';

/** Download addresses need no token and work for a few minutes. */
const LIFETIME_MS = 15 * 60_000;

/** Returns an address from which the bytes of a file's version can be read without a token. */
export function downloadUrl(tenant: Tenant, item: ItemRow, version = item.version): string {
  const ticket = Buffer.from(
    JSON.stringify({ item: item.id, version, until: tenant.now() + LIFETIME_MS }),
  ).toString('base64url');
  const query = new URLSearchParams({
    UniqueId: digest(tenant.seed, item.id).toString('hex').slice(0, 32),
    Translate: 'false',
    tempauth: `v1.${ticket}.${sign(tenant, ticket)}`,
    ApiVersion: '2.0',
  });
  return `${tenant.origin(tenant.filesHost)}/_layouts/15/download.aspx?${query}`;
}

const sign = ({ keys }: Tenant, text: string): string =>
  createHmac('sha256', keys.download).update(text).digest('base64url').slice(0, 32);

function readTicket(tenant: Tenant, tempauth: string): { item: string; version: number } | null {
  const [mark, ticket = '', signature = ''] = tempauth.split('.');
  const expected = Buffer.from(sign(tenant, ticket));
  const input = Buffer.from(signature);
  if (mark !== 'v1' || expected.length !== input.length || !timingSafeEqual(expected, input))
    return null;
  const { item, version, until } = JSON.parse(Buffer.from(ticket, 'base64url').toString()) as {
    item: string;
    version: number;
    until: number;
  };
  return until < tenant.now() ? null : { item, version };
}

/** The host of file content: whole files and ranges (RFC 9110). */
export function downloadApp(tenant: Tenant): Hono {
  const app = new Hono();
  app.on(['GET', 'HEAD'], '/_layouts/15/download.aspx', (c) => {
    const ticket = readTicket(tenant, c.req.query('tempauth') ?? '');
    if (!ticket)
      return c.json(
        { error: { code: 'unauthenticated', message: 'The download URL has expired.' } },
        401,
      );
    const item = tenant.store.get<ItemRow>(
      'select * from item where id = ? and deleted = 0',
      ticket.item,
    );
    const version =
      item && listVersions(tenant, item.id).find((row) => row.version === ticket.version);
    if (!item || !version)
      return c.json({ error: { code: 'itemNotFound', message: 'Item does not exist' } }, 404);
    return sendBytes(tenant, c.req.raw, item, version);
  });
  return app;
}

function sendBytes(tenant: Tenant, request: Request, item: ItemRow, version: VersionRow): Response {
  const etag = `"{${digest(tenant.seed, item.id).toString('hex').slice(0, 32)}},${version.version}"`;
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': typeOfFile(item.name),
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(item.name)}`,
    etag,
    'last-modified': new Date(version.at).toUTCString(),
  };
  const range = readRange(request, version.size, etag);
  if (range === 'unsatisfiable')
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${version.size}` },
    });
  const [from, to] = range ?? [0, version.size];
  const body = request.method === 'HEAD' ? null : readFileBytes(tenant, version, from, to);
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(to - from),
      ...(range ? { 'content-range': `bytes ${from}-${to - 1}/${version.size}` } : {}),
    },
  });
}

/** Returns the one range that is wanted; null for the whole file. */
function readRange(
  request: Request,
  size: number,
  etag: string,
): [number, number] | 'unsatisfiable' | null {
  const header = request.headers.get('range');
  const condition = request.headers.get('if-range');
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (condition !== null && condition !== etag)) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '')
    return last === '0' ? 'unsatisfiable' : [Math.max(0, size - Number(last)), size];
  const from = Number(first);
  if (from >= size) return 'unsatisfiable';
  if (last !== '' && Number(last) < from) return null;
  return [from, last === '' ? size : Math.min(size, Number(last) + 1)];
}
