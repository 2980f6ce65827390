import type { ImpersonationId, Ms, UserId } from '#contract/ids.ts';
import type { Principal, RequestContext } from '../http/handler.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/** The action of an audit record: past tense, `<noun>.<verb>`. */
export interface AuditedAction {
  readonly what: string;
  /** The affected user; null if unknown. */
  readonly user: UserId | null;
  /** Never a secret or a name: only ids and fixed words. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Where a recorded action came from. Without a session it has no actor: nobody had signed in. */
export interface AuditSource extends Pick<RequestContext, 'ip' | 'request' | 'now'> {
  readonly session?: Principal | null;
}

/** Writes an audit record, in the transaction of the change. */
export const audit = (
  tx: TenantTx,
  context: Pick<AppContext, 'chance'>,
  source: AuditSource,
  recorded: AuditedAction,
): Promise<void> =>
  auditOrigin(tx, context, { ...recorded, at: source.now, origin: getOrigin(source) });

/** Who made a request, and from where, as it is recorded. */
interface AuditOrigin {
  readonly ip: string;
  readonly agent: string;
  readonly actor: UserId | null;
  readonly impersonation: ImpersonationId | null;
  /** Id of the API key. */
  readonly key: string | null;
}

const getOrigin = ({ ip, request, session }: AuditSource): AuditOrigin => ({
  ip,
  agent: getAgent(request),
  actor: session?.actor ?? null,
  impersonation: session?.impersonation ?? null,
  key: session?.key?.id ?? null,
});
export const getAgent = (request: Request): string =>
  (request.headers.get('user-agent') ?? '').slice(0, 200);

/** Writes an audit record of what was asked for elsewhere, such as by an engine. */
export async function auditOrigin(
  { tenant, sql }: TenantTx,
  { chance }: Pick<AppContext, 'chance'>,
  {
    what,
    user,
    detail = {},
    at,
    origin,
  }: AuditedAction & { readonly at: Ms; readonly origin: AuditOrigin },
): Promise<void> {
  await sql
    .insertInto('audit')
    .values({
      tenant_id: tenant,
      at,
      id: chance.uuid(),
      what,
      user_id: user,
      actor_id: origin.actor,
      impersonation_id: origin.impersonation,
      ip: origin.ip,
      agent: origin.agent,
      detail: JSON.stringify(origin.key === null ? detail : { ...detail, key: origin.key }),
    })
    .execute();
}
