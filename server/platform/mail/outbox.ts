import type { Hono } from 'hono';
import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import { unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';
import { gatewaysOf } from './gateways.ts';
import { OUTBOX_CSS, outboxPage } from './outbox-page.ts';
import type { Kept } from './outbox-page.ts';
import { PostSchema } from './sender.ts';

const MOST = 200;

/**
 * `/outbox`: messages that can't be sent because no gateway is configured, for the operator on the
 * server's machine. It is served only to a direct connection from this machine under its own name.
 * A proxy on the same machine also connects from here, so any sign of one closes the page, and so
 * do configured trusted proxies. Once every provider has every gateway, the page doesn't exist.
 */
export function outboxRoutes(world: AppContext): (app: Hono) => void {
  return (app) => {
    app.get('/outbox', async ({ req, env, notFound }) => {
      if (!isOperator(world, req.raw, env)) return notFound();
      const kept = await keptIn(world);
      return kept === null
        ? notFound()
        : page(outboxPage(kept, world.clock.now()), 'text/html; charset=utf-8');
    });
    app.get('/outbox.css', ({ req, env, notFound }) =>
      isOperator(world, req.raw, env) ? page(OUTBOX_CSS, 'text/css; charset=utf-8') : notFound(),
    );
  };
}

const page = (body: string, type: string): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'no-store' } });

const OWN_NAME = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const PASSED_ON = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
];

function isOperator({ config }: AppContext, request: Request, env: unknown): boolean {
  const incoming = (
    env as
      | {
          readonly incoming?: {
            readonly httpVersion?: string;
            readonly socket?: { readonly remoteAddress?: string };
          };
        }
      | undefined
  )?.incoming;
  const site = request.headers.get('sec-fetch-site');
  return (
    config.trustedProxies.length === 0 &&
    LOOPBACK.test(incoming?.socket?.remoteAddress ?? '') &&
    incoming?.httpVersion !== '1.0' &&
    OWN_NAME.test(request.headers.get('host') ?? '') &&
    PASSED_ON.every((name) => !request.headers.has(name)) &&
    (site === null || site === 'none' || site === 'same-origin')
  );
}

/** Returns the unsent messages, newest first. Null if every provider has every gateway. */
async function keptIn(world: AppContext): Promise<readonly Kept[] | null> {
  const all = await Promise.all(
    (await world.store.tenants()).map((tenant) => keptOf(world, tenant)),
  );
  const open = all.flatMap((one) => one ?? []);
  return all.every((one) => one === null)
    ? null
    : open.toSorted((a, b) => b.at - a.at).slice(0, MOST);
}

function keptOf(world: AppContext, tenant: TenantId): Promise<readonly Kept[] | null> {
  return world.store.tenant(
    tenant,
    async (tx) => {
      const gateways = await gatewaysOf(tx, world);
      const kinds = (['mail', 'sms'] as const).filter((kind) => gateways[kind] === null);
      if (kinds.length === 0) return null;
      const {
        branding: { name },
      } = await tx.sql
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow();
      const rows = await tx.sql
        .selectFrom('outgoing')
        .select(['id', 'sealed', 'made_at'])
        .where('tenant_id', '=', tenant)
        .where('sent_at', 'is', null)
        .where('kind', 'in', kinds)
        .orderBy('made_at', 'desc')
        .limit(MOST)
        .execute();
      const kept: Kept[] = [];
      for (const row of rows) kept.push(await read(row));
      return kept;

      async function read({
        id,
        sealed,
        made_at,
      }: {
        readonly id: string;
        readonly sealed: string;
        readonly made_at: Ms;
      }): Promise<Kept> {
        const what = v.parse(
          PostSchema,
          JSON.parse(
            await unseal(tx, world, { table: 'outgoing', column: 'sealed', row: id }, sealed),
          ),
        );
        return {
          at: made_at,
          provider: name,
          kind: what.kind,
          to: what.to,
          subject: what.kind === 'mail' ? what.subject : null,
          text: what.text,
        };
      }
    },
    { readOnly: true },
  );
}
