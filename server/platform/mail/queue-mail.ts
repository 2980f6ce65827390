import type { Ms } from '#contract/ids.ts';
import { seal } from '../crypto/vault.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import { scheduleJob } from '../jobs/schedule.ts';

/**
 * `html`: an HTML version of the text, if any; `files`: ids of stored files to attach; `replyTo`:
 * the address for replies, if not the sender. Neither subject nor address may contain a line break.
 */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly replyTo?: string;
  readonly files?: readonly string[];
}
export interface Sms {
  readonly to: string;
  readonly text: string;
}
export type Post = ({ readonly kind: 'mail' } & Mail) | ({ readonly kind: 'sms' } & Sms);

/**
 * Queues an email or text message in the current transaction: a background job sends it after
 * the commit. Without a gateway it stays on the operator's outbox page. Returns its id in `outgoing`,
 * which holds its status.
 */
export async function post(tx: TenantTx, context: AppContext, what: Post): Promise<string> {
  const id = context.chance.uuid();
  const now = context.clock.now();
  const sealed = await seal(
    tx,
    context,
    { table: 'outgoing', column: 'sealed', row: id },
    JSON.stringify(what),
  );
  await tx.sql
    .insertInto('outgoing')
    .values({
      tenant_id: tx.tenant,
      id,
      kind: what.kind,
      sealed,
      made_at: now,
      sent_at: null,
      next_at: now,
      fault: null,
    })
    .execute();
  await scheduleMail(tx, id, now);
  return id;
}

export const scheduleMail = (tx: TenantTx, id: string, dueAt: Ms): Promise<void> =>
  scheduleJob(tx, 'mail', id, { message: id }, dueAt);
