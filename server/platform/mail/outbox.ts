import type { Hono } from 'hono';
import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import { unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';
import { isOperator } from '../http/is-operator.ts';
import { loadGateways } from './gateways.ts';
import { OUTBOX_CSS, outboxPage } from './outbox-page.ts';
import type { StoredMail } from './outbox-page.ts';
import { PostSchema } from './sender.ts';

const MAX_LISTED = 200;

/**
 * `/outbox`: messages that can't be sent because no gateway is configured, for the operator on the
 * server's machine. Once every provider has every gateway, the page doesn't exist.
 */
export function outboxRoutes(context: AppContext): (app: Hono) => void {
  return (app) => {
    app.get('/outbox', async ({ req, env, notFound }) => {
      if (!isOperator(context, req.raw, env)) return notFound();
      const stored = await loadMails(context);
      return stored === null
        ? notFound()
        : page(outboxPage(stored, context.clock.now()), 'text/html; charset=utf-8');
    });
    app.get('/outbox.css', ({ req, env, notFound }) =>
      isOperator(context, req.raw, env) ? page(OUTBOX_CSS, 'text/css; charset=utf-8') : notFound(),
    );
  };
}

const page = (body: string, type: string): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'no-store' } });

/** Returns the unsent messages, newest first. Null if every provider has every gateway. */
async function loadMails(context: AppContext): Promise<readonly StoredMail[] | null> {
  const all = await Promise.all(
    (await context.store.tenants()).map((tenant) => loadOutbox(context, tenant)),
  );
  const open = all.flatMap((one) => one ?? []);
  return all.every((one) => one === null)
    ? null
    : open.toSorted((a, b) => b.at - a.at).slice(0, MAX_LISTED);
}

function loadOutbox(context: AppContext, tenant: TenantId): Promise<readonly StoredMail[] | null> {
  return context.store.tenant(
    tenant,
    async (tx) => {
      const gateways = await loadGateways(tx, context);
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
        .limit(MAX_LISTED)
        .execute();
      const stored: StoredMail[] = [];
      for (const row of rows) stored.push(await read(row));
      return stored;

      async function read({
        id,
        sealed,
        made_at,
      }: {
        readonly id: string;
        readonly sealed: string;
        readonly made_at: Ms;
      }): Promise<StoredMail> {
        const what = v.parse(
          PostSchema,
          JSON.parse(
            await unseal(tx, context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
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
