import type { Selectable } from 'kysely';
import * as v from 'valibot';
import type { Environment } from '#contract/billing/quickbooks-calls.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { columnOver } from '../../platform/clock-bounds.ts';
import { releaseSlotDuring } from '../../platform/http/concurrency.ts';
import { storeSecret, readSecret } from '../../platform/outbound/secret.ts';
import type { QuickBooksTable } from '../../platform/db/database-billing.ts';
import type { Store, TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  ENDED,
  faultIn,
  parsed,
  QuickBooksFault,
  quickBooksAt,
  sendTo,
} from './quickbooks-endpoint.ts';

/**
 * BILL-1: the tokens of a provider, sealed. Each renewal may bring another refresh token, and only
 * the newest stays good: it is kept before the access token is used.
 */
const Kept = v.object({ access: v.string(), until: v.number(), refresh: v.string() });
type Tokens = v.InferOutput<typeof Kept>;
const token = v.pipe(v.string(), v.minLength(1), v.maxLength(8_000));
const Given = v.object({
  access_token: token,
  refresh_token: token,
  expires_in: v.pipe(v.number(), v.minValue(1)),
});

export type QuickBooksRow = Selectable<QuickBooksTable>;
export interface App {
  readonly environment: Environment;
  readonly clientId: string;
  readonly secret: string;
}

/** A token is not used for the last moments of its life. */
const SPARE_MS: Ms = 60_000;
/** Longer than a renewal takes: who then still has it is dead. */
const RENEWED_MS: Ms = 45_000;
const LOOK_MS: Ms = 500;
const LOOKS = 100;

export const quickBooksRow = ({ sql, tenant }: TenantTx): Promise<QuickBooksRow | undefined> =>
  sql.selectFrom('quickbooks').selectAll().where('tenant_id', '=', tenant).executeTakeFirst();

export async function appOf(
  tx: TenantTx,
  world: AppContext,
  row: Pick<QuickBooksRow, 'environment' | 'client_id'> | undefined,
): Promise<App | null> {
  const secret = row ? await readSecret(tx, world, 'quickbooks') : null;
  return row && secret !== null
    ? { environment: row.environment, clientId: row.client_id, secret }
    : null;
}

export async function tokensOf(tx: TenantTx, world: AppContext): Promise<Tokens | null> {
  const sealed = await readSecret(tx, world, 'quickbooks-tokens');
  return sealed === null ? null : v.parse(Kept, parsed(sealed));
}

/**
 * Exchanges what is good for tokens: the code of the way back, or a refresh token. Throws a
 * `QuickBooksFault`; `ended` where it is not taken.
 */
export async function exchange(
  world: AppContext,
  app: App,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const answer = await sendTo(world, quickBooksAt(world, app.environment).token, {
    method: 'POST',
    headers: { accept: 'application/json', authorization: basic(app) },
    body: new URLSearchParams(form),
  });
  if (answer.status === 400) throw new QuickBooksFault('ended', ENDED);
  if (answer.status === 401)
    throw new QuickBooksFault('access', 'QuickBooks did not accept the client ID and secret.');
  if (answer.status !== 200) throw await faultIn(answer, world.clock.now());
  const read = v.safeParse(Given, parsed(await answer.text()));
  if (!read.success)
    throw new QuickBooksFault('later', 'QuickBooks gave no token that can be read.');
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = read.output;
  return { access, refresh, until: world.clock.now() + seconds * 1_000 };
}

/**
 * Tells Intuit that the tokens are done with. What comes of it changes nothing here: they are
 * forgotten anyway.
 */
export async function revoke(world: AppContext, app: App, { refresh }: Tokens): Promise<void> {
  await sendTo(world, quickBooksAt(world, app.environment).revoke, {
    method: 'POST',
    headers: {
      'accept': 'application/json',
      'content-type': 'application/json',
      'authorization': basic(app),
    },
    body: JSON.stringify({ token: refresh }),
  });
}

const basic = ({ clientId, secret }: App): string =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;

export const keepTokens = (tx: TenantTx, world: AppContext, tokens: Tokens): Promise<void> =>
  storeSecret(tx, world, 'quickbooks-tokens', JSON.stringify(tokens));

const going = new WeakMap<Store, Map<TenantId, Promise<string>>>();

/**
 * A token that is good now. `refused`: the one that was not taken. Those of this server that need
 * one at once wait for the same; of several servers one renews.
 */
export async function accessOf(
  world: AppContext,
  tenant: TenantId,
  refused: string | null,
): Promise<string> {
  const all = going.get(world.store) ?? new Map<TenantId, Promise<string>>();
  going.set(world.store, all);
  const tokens = await world.store.tenant(tenant, (tx) => tokensOf(tx, world), { readOnly: true });
  if (tokens === null) throw new QuickBooksFault('ended', ENDED);
  if (good(tokens, refused, world.clock.now())) return tokens.access;
  const there = all.get(tenant);
  if (there) return releaseSlotDuring(() => there);
  const mine = renew(world, tenant, refused).finally(() => {
    all.delete(tenant);
  });
  all.set(tenant, mine);
  return mine;
}

const good = ({ access, until }: Tokens, refused: string | null, now: Ms): boolean =>
  access !== refused && now < until - SPARE_MS;

interface Turn {
  readonly tokens: Tokens;
  readonly app: App;
  readonly generation: number;
}

async function renew(world: AppContext, tenant: TenantId, refused: string | null): Promise<string> {
  const { store, clock, chance } = world;
  const by = chance.uuid();
  for (let look = 0; look < LOOKS; look += 1) {
    const turn = await store.tenant(tenant, (tx) => takeTurn(tx, world, refused, by));
    if (typeof turn === 'string') return turn;
    if (turn !== null) return await inTurn(world, tenant, turn);
    await new Promise<void>((resolve) => {
      clock.after(LOOK_MS, resolve);
    });
  }
  throw new QuickBooksFault('later', 'Another server is renewing the token of QuickBooks.');
}

/** Null: another server renews them now. A token: it has. */
async function takeTurn(
  tx: TenantTx,
  world: AppContext,
  refused: string | null,
  by: string,
): Promise<Turn | string | null> {
  const now = world.clock.now();
  const row = await quickBooksRow(tx);
  const tokens = await tokensOf(tx, world);
  const app = await appOf(tx, world, row);
  if (!row || tokens === null || app === null) throw new QuickBooksFault('ended', ENDED);
  if (good(tokens, refused, now)) return tokens.access;
  const free = await tx.sql
    .updateTable('quickbooks')
    .set({ renewed_by: by, renewed_until: now + RENEWED_MS })
    .where('tenant_id', '=', tx.tenant)
    .where('generation', '=', row.generation)
    .$if(world.store.kind !== 'pglite', (query) =>
      query.where(columnOver('renewed_until', now, RENEWED_MS)),
    )
    .returning('generation')
    .executeTakeFirst();
  return free ? { tokens, app, generation: free.generation } : null;
}

async function inTurn(
  world: AppContext,
  tenant: TenantId,
  { tokens, app, generation }: Turn,
): Promise<string> {
  let fresh: Tokens;
  try {
    fresh = await exchange(world, app, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh,
    });
  } catch (error) {
    const ended = error instanceof QuickBooksFault && error.is === 'ended';
    await world.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('quickbooks')
        .set({ renewed_by: null, renewed_until: 0, ...(ended && { ended: true }) })
        .where('tenant_id', '=', tenant)
        .where('generation', '=', generation)
        .execute(),
    );
    throw error;
  }
  return world.store.tenant(tenant, async (tx) => {
    const mine = await tx.sql
      .updateTable('quickbooks')
      .set({ renewed_by: null, renewed_until: 0, generation: generation + 1 })
      .where('tenant_id', '=', tenant)
      .where('generation', '=', generation)
      .returning('generation')
      .executeTakeFirst();
    if (mine) await keepTokens(tx, world, fresh);
    // It was connected anew meanwhile: those tokens count.
    const now = mine ? fresh : await tokensOf(tx, world);
    if (now === null) throw new QuickBooksFault('ended', ENDED);
    return now.access;
  });
}
