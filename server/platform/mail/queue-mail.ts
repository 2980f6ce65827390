import { seal } from '../crypto/vault.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import { makeSignal } from '../outbound/signal.ts';

/**
 * `html` beside the text where a mail has it; `files`: ids of kept files that go with it.
 * `replyTo`: whom an answer goes to, where that is not the sender. Neither subject nor address may
 * hold a line break.
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
 * Puts a mail or a short message on its way, in the transaction of what it tells of: it goes out
 * once that has committed (`startPost`). Without a gateway it stays on the outbox page of the
 * server's operator. Answers its id, by which `outgoing` tells what became of it.
 */
export async function post(tx: TenantTx, world: AppContext, what: Post): Promise<string> {
  const id = world.chance.uuid();
  const now = world.clock.now();
  const sealed = await seal(
    tx,
    world,
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
  makeSignal(world).mark(tx.tenant);
  return id;
}
