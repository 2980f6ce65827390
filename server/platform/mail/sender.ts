import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import { columnOver } from '../clock-bounds.ts';
import { describeError } from '../http/serve-call.ts';
import { readBlob } from '../db/blob-store.ts';
import type { StoredBlob } from '../db/blob-store.ts';
import type { TenantTx } from '../db/store.ts';
import { unseal } from '../crypto/vault.ts';
import type { AppContext } from '../app-context.ts';
import type { MailDelivery } from './delivery.ts';
import { loadGateways } from './gateways.ts';
import type { Gateways } from './gateways.ts';
import { sendMail } from './send-mail.ts';
import { sendSms } from './send-sms.ts';
import type { LeaseHandler } from '../jobs/job-types.ts';
import { isLeftBehind } from '../jobs/leases.ts';
import { hasNoJob } from '../jobs/schedule.ts';
import { outgoingStates } from './outgoing-states.ts';
import { scheduleMail } from './queue-mail.ts';
import { deliveryMessages as t } from './messages.en.ts';

/**
 * Longer than any attempt. The server that takes over the job of a killed one doesn't wait for its
 * end.
 */
const HELD_MS: Ms = 5 * 60_000;
const KEEP_MS: Ms = 7 * 86_400_000;
/** A code is useless after a few minutes, a mail only after an hour or more. */
const MAX_TRIES = { sms: 5, mail: 10 } as const;
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
export const getRetryWait = (tries: number, request: Ms | null): Ms =>
  Math.min(LONGEST_MS, Math.max(FIRST_MS * 2 ** (tries - 1), request ?? 0));

/**
 * Sends a message that `post` queued. The job first takes the message, then sends it with no
 * transaction open, then stores the result, if no other run of the job has taken the message meanwhile
 * (JOB-11). So two servers never send the same message, and no sent message is sent again, except if a
 * server dies, or is paused for minutes, between sending and storing the result. The content of a sent message is erased at once, and its row is deleted
 * after a week.
 */
export const mail =
  (context: AppContext): LeaseHandler<'mail'> =>
  async ({ tenant, payload: { message: id }, lease }) => {
    const { row, gateways } = await context.store.tenant(tenant, (tx) =>
      takeDue(tx, context, id, lease),
    );
    if (row) await send(context, tenant, gateways, row, lease);
    return context.store.tenant(tenant, (tx) => nextAttempt(tx, id), { readOnly: true });
  };

/** Returns when the message is tried again; null if it was sent or given up. */
const nextAttempt = async (tx: TenantTx, id: string): Promise<Ms | null> =>
  (await outgoingStates(tx, [id])).get(id)?.next_at ?? null;

/** Deletes old messages, and schedules those from before there were background jobs. */
export async function tidyOutgoing(tx: TenantTx, now: Ms): Promise<void> {
  await tx.sql
    .deleteFrom('outgoing')
    .where('tenant_id', '=', tx.tenant)
    .where('made_at', '<', now - KEEP_MS)
    .execute();
  const waiting = await tx.sql
    .selectFrom('outgoing')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('next_at', 'is not', null)
    .where(hasNoJob(tx, 'mail', 'outgoing.id'))
    .execute();
  for (const { id } of waiting) await scheduleMail(tx, id, now);
}

async function send(
  context: AppContext,
  tenant: TenantId,
  gateways: Gateways,
  { id, kind, sealed, tries }: Taken,
  lease: string,
): Promise<void> {
  const outcome = await attempt(context, tenant, gateways, { id, sealed });
  const now = context.clock.now();
  const over =
    outcome.kind === 'given-up' || (outcome.kind === 'later' && tries >= MAX_TRIES[kind]);
  if (outcome.kind !== 'sent')
    context.log.warn('a message did not go out', {
      tenant,
      kind,
      tries,
      error: outcome.error,
      ...(over ? { given: 'up' } : {}),
    });
  await context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('outgoing')
      .set(
        outcome.kind === 'sent'
          ? { sent_at: now, next_at: null, fault: null, sealed: '', held_by: null }
          : {
              held_by: null,
              next_at: over ? null : now + getRetryWait(tries, outcome.afterMs),
              fault: outcome.error,
            },
      )
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('held_by', '=', lease)
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
  context: AppContext,
  id: string,
  lease: string,
): Promise<{ readonly row: Taken | null; readonly gateways: Gateways }> {
  const { tenant, sql } = tx;
  const now = context.clock.now();
  const due = await sql
    .selectFrom('outgoing')
    .select(['id', 'kind', 'sealed', 'tries'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .where((e) => e.or([columnOver('next_at', now, LONGEST_MS), isLeftBehind('held_by', lease)]))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!due) return { row: null, gateways: { mail: null, sms: null } };
  const gateways = await loadGateways(tx, context);
  const hasGateway = gateways[due.kind] !== null;
  const tries = hasGateway ? due.tries + 1 : due.tries;
  await sql
    .updateTable('outgoing')
    // Without a gateway, it stays on the outbox page for the operator, and is not sent when a
    // gateway is configured days later.
    .set({
      next_at: hasGateway ? now + HELD_MS : null,
      held_by: hasGateway ? lease : null,
      tries,
    })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
  return { row: hasGateway ? { ...due, tries } : null, gateways };
}

async function attempt(
  context: AppContext,
  tenant: TenantId,
  gateways: Gateways,
  { id, sealed }: Pick<Taken, 'id' | 'sealed'>,
): Promise<MailDelivery> {
  try {
    const { what, files } = await context.store.tenant(
      tenant,
      async (tx) => {
        const open = v.parse(
          PostSchema,
          JSON.parse(
            await unseal(tx, context, { table: 'outgoing', column: 'sealed', row: id }, sealed),
          ),
        );
        return { what: open, files: await loadFiles(tx, context, open) };
      },
      { readOnly: true },
    );
    if (files === null) return { kind: 'given-up', error: t.attachmentExpired };
    if (what.kind === 'mail')
      return gateways.mail
        ? await sendMail(context, gateways.mail, id, {
            to: what.to,
            subject: what.subject,
            text: what.text,
            files,
            ...(what.html === undefined ? {} : { html: what.html }),
            ...(what.replyTo === undefined ? {} : { replyTo: what.replyTo }),
          })
        : { kind: 'given-up', error: t.noGateway };
    return gateways.sms
      ? await sendSms(context, gateways.sms, what)
      : { kind: 'given-up', error: t.noGateway };
  } catch (error) {
    context.log.error('a message could not be read or sent', { tenant, ...describeError(error) });
    return { kind: 'later', error: t.failed, afterMs: null };
  }
}

/** Returns null if one of them no longer exists. */
async function loadFiles(
  tx: TenantTx,
  context: AppContext,
  what: v.InferOutput<typeof PostSchema>,
): Promise<readonly StoredBlob[] | null> {
  const files: StoredBlob[] = [];
  for (const id of what.kind === 'mail' ? (what.files ?? []) : []) {
    const file = await readBlob(tx, context, id);
    if (file === null) return null;
    files.push(file);
  }
  return files;
}
