import type { Selectable } from 'kysely';
import * as v from 'valibot';
import type { QuickBooksEnvironment } from '#contract/billing/quickbooks-calls.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { columnOver } from '../../platform/clock-bounds.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import { storeSecret, readSecret } from '../../platform/outbound/secret.ts';
import type { QuickBooksTable } from '../../platform/db/database-billing.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { readError, parsed, QuickBooksError, quickBooksAt, sendTo } from './quickbooks-endpoint.ts';
import { billingMessages as t } from './messages.en.ts';

/**
 * BILL-1: a provider's tokens, sealed. A renewal can return a new refresh token, and only the
 * newest stays valid, so it is stored before the access token is used.
 */
const StoredTokens = v.object({ access: v.string(), until: v.number(), refresh: v.string() });
type Tokens = v.InferOutput<typeof StoredTokens>;
const token = v.pipe(v.string(), v.minLength(1), v.maxLength(8_000));
const Given = v.object({
  access_token: token,
  refresh_token: token,
  expires_in: v.pipe(v.number(), v.minValue(1)),
});

export type QuickBooksRow = Selectable<QuickBooksTable>;
export interface QuickBooksApp {
  readonly environment: QuickBooksEnvironment;
  readonly clientId: string;
  readonly secret: string;
}

/** A token is not used in its last minute. */
const SPARE_MS: Ms = 60_000;
/** Longer than a renewal takes. After this time the server that began it is considered dead. */
const RENEWED_MS: Ms = 45_000;
const LOOK_MS: Ms = 500;
const LOOKS = 100;

export const quickBooksRow = ({ sql, tenant }: TenantTx): Promise<QuickBooksRow | undefined> =>
  sql.selectFrom('quickbooks').selectAll().where('tenant_id', '=', tenant).executeTakeFirst();

export async function loadApp(
  tx: TenantTx,
  context: AppContext,
  row: Pick<QuickBooksRow, 'environment' | 'client_id'> | undefined,
): Promise<QuickBooksApp | null> {
  const secret = row ? await readSecret(tx, context, 'quickbooks') : null;
  return row && secret !== null
    ? { environment: row.environment, clientId: row.client_id, secret }
    : null;
}

export async function loadTokens(tx: TenantTx, context: AppContext): Promise<Tokens | null> {
  const sealed = await readSecret(tx, context, 'quickbooks-tokens');
  return sealed === null ? null : v.parse(StoredTokens, parsed(sealed));
}

/**
 * Exchanges an authorization code or a refresh token for tokens. Throws a `QuickBooksError`, with
 * `ended` if Intuit does not accept it.
 */
export async function exchange(
  context: AppContext,
  app: QuickBooksApp,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const answer = await sendTo(context, quickBooksAt(context, app.environment).token, {
    method: 'POST',
    headers: { accept: 'application/json', authorization: basic(app) },
    body: new URLSearchParams(form),
  });
  if (answer.status === 400) throw new QuickBooksError('ended', t.accessEnded);
  if (answer.status === 401) throw new QuickBooksError('access', t.clientRefused);
  if (answer.status !== 200) throw await readError(answer, context.clock.now());
  const read = v.safeParse(Given, parsed(await answer.text()));
  if (!read.success) throw new QuickBooksError('later', t.unreadable);
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = read.output;
  return { access, refresh, until: context.clock.now() + seconds * 1_000 };
}

/** Revokes the tokens at Intuit. The caller deletes them regardless of the result. */
export async function revoke(
  context: AppContext,
  app: QuickBooksApp,
  { refresh }: Tokens,
): Promise<void> {
  await sendTo(context, quickBooksAt(context, app.environment).revoke, {
    method: 'POST',
    headers: {
      'accept': 'application/json',
      'content-type': 'application/json',
      'authorization': basic(app),
    },
    body: JSON.stringify({ token: refresh }),
  });
}

const basic = ({ clientId, secret }: QuickBooksApp): string =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;

export const keepTokens = (tx: TenantTx, context: AppContext, tokens: Tokens): Promise<void> =>
  storeSecret(tx, context, 'quickbooks-tokens', JSON.stringify(tokens));

/** The renewals that are under way, by provider. */
export type QuickBooksRenewals = Map<TenantId, Promise<string>>;

/**
 * Returns a valid access token. `refused` is the one that QuickBooks refused. Concurrent callers on
 * this server share one renewal; of several servers only one renews.
 */
export async function loadBooksAccess(
  context: AppContext,
  tenant: TenantId,
  refused: string | null,
): Promise<string> {
  const { quickBooksRenewals } = context;
  const tokens = await context.store.tenant(tenant, (tx) => loadTokens(tx, context), {
    readOnly: true,
  });
  if (tokens === null) throw new QuickBooksError('ended', t.accessEnded);
  if (good(tokens, refused, context.clock.now())) return tokens.access;
  const there = quickBooksRenewals.get(tenant);
  if (there) return releaseSlotDuring(() => there);
  const mine = renew(context, tenant, refused).finally(() => {
    quickBooksRenewals.delete(tenant);
  });
  quickBooksRenewals.set(tenant, mine);
  return mine;
}

const good = ({ access, until }: Tokens, refused: string | null, now: Ms): boolean =>
  access !== refused && now < until - SPARE_MS;

interface Turn {
  readonly tokens: Tokens;
  readonly app: QuickBooksApp;
  readonly generation: number;
}

async function renew(
  context: AppContext,
  tenant: TenantId,
  refused: string | null,
): Promise<string> {
  const { store, clock, chance } = context;
  const by = chance.uuid();
  for (let look = 0; look < LOOKS; look += 1) {
    const turn = await store.tenant(tenant, (tx) => takeTurn(tx, context, refused, by));
    if (typeof turn === 'string') return turn;
    if (turn !== null) return await inTurn(context, tenant, turn);
    await new Promise<void>((resolve) => {
      clock.after(LOOK_MS, resolve);
    });
  }
  throw new QuickBooksError('later', t.renewing);
}

/** Returns null while another server renews the tokens, and a token if it has finished. */
async function takeTurn(
  tx: TenantTx,
  context: AppContext,
  refused: string | null,
  by: string,
): Promise<Turn | string | null> {
  const now = context.clock.now();
  const row = await quickBooksRow(tx);
  const tokens = await loadTokens(tx, context);
  const app = await loadApp(tx, context, row);
  if (!row || tokens === null || app === null) throw new QuickBooksError('ended', t.accessEnded);
  if (good(tokens, refused, now)) return tokens.access;
  const free = await tx.sql
    .updateTable('quickbooks')
    .set({ renewed_by: by, renewed_until: now + RENEWED_MS })
    .where('tenant_id', '=', tx.tenant)
    .where('generation', '=', row.generation)
    .$if(context.store.kind !== 'pglite', (query) =>
      query.where(columnOver('renewed_until', now, RENEWED_MS)),
    )
    .returning('generation')
    .executeTakeFirst();
  return free ? { tokens, app, generation: free.generation } : null;
}

async function inTurn(
  context: AppContext,
  tenant: TenantId,
  { tokens, app, generation }: Turn,
): Promise<string> {
  let fresh: Tokens;
  try {
    fresh = await exchange(context, app, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh,
    });
  } catch (error) {
    const ended = error instanceof QuickBooksError && error.kind === 'ended';
    await context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('quickbooks')
        .set({ renewed_by: null, renewed_until: 0, ...(ended && { ended: true }) })
        .where('tenant_id', '=', tenant)
        .where('generation', '=', generation)
        .execute(),
    );
    throw error;
  }
  return context.store.tenant(tenant, async (tx) => {
    const mine = await tx.sql
      .updateTable('quickbooks')
      .set({ renewed_by: null, renewed_until: 0, generation: generation + 1 })
      .where('tenant_id', '=', tenant)
      .where('generation', '=', generation)
      .returning('generation')
      .executeTakeFirst();
    if (mine) await keepTokens(tx, context, fresh);
    // If QuickBooks was reconnected in the meantime, the new tokens count.
    const now = mine ? fresh : await loadTokens(tx, context);
    if (now === null) throw new QuickBooksError('ended', t.accessEnded);
    return now.access;
  });
}
