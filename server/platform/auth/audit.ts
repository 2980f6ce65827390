import type { UserId } from '#contract/ids.ts';
import type { RequestContext } from '../http/handler.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/** The action of an audit record: past tense, `<noun>.<verb>`. */
export interface Recorded {
  readonly what: string;
  /** The affected user; null if unknown. */
  readonly user: UserId | null;
  /** Never a secret or a name: only ids and fixed words. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Writes an audit record, in the transaction of the change. */
export async function audit(
  { tenant, sql }: TenantTx,
  { chance }: AppContext,
  ask: Pick<RequestContext, 'session' | 'ip' | 'request' | 'now'>,
  { what, user, detail = {} }: Recorded,
): Promise<void> {
  await sql
    .insertInto('audit')
    .values({
      tenant_id: tenant,
      at: ask.now,
      id: chance.uuid(),
      what,
      user_id: user,
      actor_id: ask.session?.actor ?? null,
      impersonation_id: ask.session?.impersonation ?? null,
      ip: ask.ip,
      agent: (ask.request.headers.get('user-agent') ?? '').slice(0, 200),
      detail: JSON.stringify(
        ask.session?.key === undefined ? detail : { ...detail, key: ask.session.key.id },
      ),
    })
    .execute();
}
