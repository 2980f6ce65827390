import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import { columnOver } from '../clock-bounds.ts';
import { faultOf } from '../http/serve-call.ts';
import { readBlob } from '../db/blob-store.ts';
import type { StoredBlob } from '../db/blob-store.ts';
import type { TenantTx } from '../db/store.ts';
import { unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';
import type { Delivery } from './delivery.ts';
import { gatewaysOf } from './gateways.ts';
import type { Gateways } from './gateways.ts';
import { sendMail } from './send-mail.ts';
import { sendSms } from './send-sms.ts';
import { makeSignal } from '../outbound/signal.ts';

/** Intervals for checking providers that have just queued a message, and all providers. */
const QUICK_MS: Ms = 500;
const EVERY_MS: Ms = 10_000;
/** Longer than any attempt. If a server dies while sending, another one retries after this time. */
const HELD_MS: Ms = 5 * 60_000;
const KEEP_MS: Ms = 7 * 86_400_000;
const CLEAN_MS: Ms = 3_600_000;
/** How long a stopping server waits for messages in flight. The next server retries the rest. */
const STOP_MS: Ms = 3_000;
const AT_ONCE = 10;
const MOST_AT_ONCE = 40;
/** A code is useless after a few minutes, a mail only after an hour or more. */
const MOST_TRIES = { sms: 5, mail: 10 } as const;
const FIRST_MS: Ms = 15_000;
const LONGEST_MS: Ms = 30 * 60_000;

const text = v.string();
export const PostSchema = v.variant('kind', [
  v.object({
    kind: v.literal('mail'),
    to: text,
    subject: text,
    text,
    html: v.optional(text),
    replyTo: v.optional(text),
    files: v.optional(v.array(text)),
  }),
  v.object({ kind: v.literal('sms'), to: text, text }),
]);

/** Returns the wait in ms after this many attempts. */
export const waitAfter = (tries: number, asked: Ms | null): Ms =>
  Math.min(LONGEST_MS, Math.max(FIRST_MS * 2 ** (tries - 1), asked ?? 0));

/**
 * Sends what `post` queued. A server first leases a message (skipping rows that another is
 * leasing), then sends it with no transaction open, then stores the result. So two servers never
 * send the same message, and no sent message is sent again, except if a server dies between sending
 * and storing the result. The content of a sent message is erased at once, and its row is deleted
 * after a week.
 */
export function startPost(world: AppContext): { stop(): Promise<void>; tick(): Promise<void> } {
  let timer: { cancel(): void } | null = null;
  let taking: Promise<void> = Promise.resolve();
  let allAt: Ms = 0;
  let cleanAt: Ms = 0;
  let stopped = false;
  const going = new Set<Promise<void>>();

  /**
   * Leases due messages, one provider after the other, without waiting for the sending, so that a
   * hanging gateway delays nobody else.
   */
  async function take(tenants: readonly TenantId[]): Promise<void> {
    const now = world.clock.now();
    const clean = now - cleanAt >= CLEAN_MS || now < cleanAt;
    if (clean) cleanAt = now;
    for (const tenant of tenants) {
      try {
        if (clean)
          await world.store.tenant(tenant, ({ sql }) =>
            sql
              .deleteFrom('outgoing')
              .where('tenant_id', '=', tenant)
              .where('made_at', '<', now - KEEP_MS)
              .execute(),
          );
        for (let more = true; more && going.size < MOST_AT_ONCE;) {
          const { rows, gateways } = await world.store.tenant(tenant, (tx) => takeDue(tx, world));
          for (const row of rows) {
            const one = send(world, tenant, gateways, row)
              .catch((error: unknown) => {
                failed(tenant, error);
              })
              .finally(() => going.delete(one));
            going.add(one);
          }
          more = rows.length === AT_ONCE && !stopped;
        }
      } catch (error) {
        failed(tenant, error);
      }
    }
  }
  function failed(tenant: TenantId, error: unknown): void {
    world.log.error('what goes out of a provider could not be looked after', {
      tenant,
      ...faultOf(error),
    });
  }

  /** Runs passes in sequence. */
  function run(of: () => Promise<readonly TenantId[]>): Promise<void> {
    taking = taking
      .then(async () => take(await of()))
      .catch((error: unknown) => {
        world.log.error('the post failed', faultOf(error));
      });
    return taking;
  }
  function wait(): void {
    timer = world.clock.after(QUICK_MS, () => {
      const now = world.clock.now();
      const all = now - allAt >= EVERY_MS || now < allAt;
      if (all) allAt = now;
      const just = makeSignal(world).take();
      const done =
        all || just.length > 0
          ? run(() => (all ? world.store.tenants() : Promise.resolve(just)))
          : Promise.resolve();
      void done.finally(() => {
        if (!stopped) wait();
      });
    });
  }
  wait();
  return {
    /** Leases all due messages, and waits until each is sent or has failed. */
    async tick() {
      await run(() => world.store.tenants());
      await Promise.all(going);
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      await Promise.race([
        taking.then(() => Promise.all(going)),
        new Promise<void>((resolve) => {
          world.clock.after(STOP_MS, resolve);
        }),
      ]);
    },
  };
}

async function send(
  world: AppContext,
  tenant: TenantId,
  gateways: Gateways,
  { id, kind, sealed, tries }: Taken,
): Promise<void> {
  const outcome = await attempt(world, tenant, gateways, { id, sealed });
  const now = world.clock.now();
  const over = outcome.is === 'given-up' || (outcome.is === 'later' && tries >= MOST_TRIES[kind]);
  if (outcome.is !== 'sent')
    world.log.warn('a message did not go out', {
      tenant,
      kind,
      tries,
      fault: outcome.fault,
      ...(over ? { given: 'up' } : {}),
    });
  await world.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('outgoing')
      .set(
        outcome.is === 'sent'
          ? { sent_at: now, next_at: null, fault: null, sealed: '' }
          : {
              next_at: over ? null : now + waitAfter(tries, outcome.afterMs),
              fault: outcome.fault,
            },
      )
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('sent_at', 'is', null)
      .execute(),
  );
}

interface Taken {
  readonly id: string;
  readonly kind: 'mail' | 'sms';
  readonly sealed: string;
  readonly tries: number;
}

async function takeDue(
  tx: TenantTx,
  world: AppContext,
): Promise<{ readonly rows: readonly Taken[]; readonly gateways: Gateways }> {
  const { tenant, sql } = tx;
  const now = world.clock.now();
  const due = await sql
    .selectFrom('outgoing')
    .select(['id', 'kind', 'sealed', 'tries'])
    .where('tenant_id', '=', tenant)
    .where('sent_at', 'is', null)
    .where(columnOver('next_at', now, LONGEST_MS))
    .orderBy('next_at')
    .limit(AT_ONCE)
    .forUpdate()
    .skipLocked()
    .execute();
  if (due.length === 0) return { rows: [], gateways: { mail: null, sms: null } };
  const gateways = await gatewaysOf(tx, world);
  const set = (
    ids: readonly string[],
    to: { readonly next_at: Ms | null; readonly tries?: number },
  ) =>
    sql
      .updateTable('outgoing')
      .set(to)
      .where('tenant_id', '=', tenant)
      .where('id', 'in', ids)
      .execute();
  const nowhere = due.filter(({ kind }) => gateways[kind] === null);
  // Without a gateway, it stays on the outbox page for the operator, and is not sent when a gateway
  // is configured days later.
  if (nowhere.length > 0)
    await set(
      nowhere.map(({ id }) => id),
      { next_at: null },
    );
  const rows = due
    .filter(({ kind }) => gateways[kind] !== null)
    .map((row) => ({ ...row, tries: row.tries + 1 }));
  for (const { id, tries } of rows) await set([id], { next_at: now + HELD_MS, tries });
  return { rows, gateways };
}

async function attempt(
  world: AppContext,
  tenant: TenantId,
  gateways: Gateways,
  { id, sealed }: Pick<Taken, 'id' | 'sealed'>,
): Promise<Delivery> {
  try {
    const { what, files } = await world.store.tenant(
      tenant,
      async (tx) => {
        const open = v.parse(
          PostSchema,
          JSON.parse(
            await unseal(tx, world, { table: 'outgoing', column: 'sealed', row: id }, sealed),
          ),
        );
        return { what: open, files: await filesOf(tx, world, open) };
      },
      { readOnly: true },
    );
    if (files === null)
      return { is: 'given-up', fault: 'The file of this mail is not kept any more.' };
    if (what.kind === 'mail')
      return gateways.mail
        ? await sendMail(world, gateways.mail, id, {
            to: what.to,
            subject: what.subject,
            text: what.text,
            files,
            ...(what.html === undefined ? {} : { html: what.html }),
            ...(what.replyTo === undefined ? {} : { replyTo: what.replyTo }),
          })
        : { is: 'given-up', fault: 'No gateway.' };
    return gateways.sms
      ? await sendSms(world, gateways.sms, what)
      : { is: 'given-up', fault: 'No gateway.' };
  } catch (error) {
    world.log.error('a message could not be read or sent', { tenant, ...faultOf(error) });
    return { is: 'later', fault: 'The message could not be read or sent.', afterMs: null };
  }
}

/** Returns null if one of them no longer exists. */
async function filesOf(
  tx: TenantTx,
  world: AppContext,
  what: v.InferOutput<typeof PostSchema>,
): Promise<readonly StoredBlob[] | null> {
  const files: StoredBlob[] = [];
  for (const id of what.kind === 'mail' ? (what.files ?? []) : []) {
    const file = await readBlob(tx, world, id);
    if (file === null) return null;
    files.push(file);
  }
  return files;
}
