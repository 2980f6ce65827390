import type { Ability } from '#contract/abilities.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { EngineKind, EngineScope, Workload } from '#contract/engine/engine.ts';
import type { NewEvent } from '#contract/events.ts';
import type { RestoreSessionRow } from '#contract/restore/sessions.ts';
import type { Result } from '#contract/result.ts';
import type { CompareCalls, EstimateCalls, RestoreCalls } from '#server/engine/public/restore.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal, SessionContext } from '#server/platform/http/handler.ts';
import { runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { scopeFor } from '../backup/engine-calls.ts';
import { findVisibleCompany, findOrganization } from '../backup/lookup.ts';
import type { OrganizationId } from '#contract/ids.ts';

export type SessionType = RestoreSessionRow['sessionType'];

export const SESSION_WORKLOADS: Readonly<Record<SessionType, Workload>> = {
  Vex: 'outlook',
  Veod: 'onedrive',
  Vesp: 'sharepoint',
  Vet: 'teams',
};
const SESSION_TYPE_OF = Object.fromEntries(
  Object.entries(SESSION_WORKLOADS).map(([type, workload]) => [workload, type]),
) as Readonly<Record<Workload, SessionType>>;
export const getSessionType = (workload: Workload): SessionType => SESSION_TYPE_OF[workload];
const ABILITIES: Readonly<Record<Workload, Ability>> = {
  outlook: 'o365.restoreOutlook',
  onedrive: 'o365.restoreOnedrive',
  sharepoint: 'o365.restoreSharepoint',
  teams: 'o365.restoreTeams',
};

/** A restore operator restores of all services what its roles are about. */
export const mayRestore = (
  user: Parameters<typeof hasAbility>[0] & Pick<Principal, 'operators'>,
  workload: Workload,
): boolean => user.operators !== undefined || hasAbility(user, ABILITIES[workload]);

/** Whose data a call is about, and the engine that has it. */
export interface EngineAt {
  readonly kind: EngineKind;
  readonly engine: RestoreCalls & CompareCalls & EstimateCalls;
  readonly scope: EngineScope;
}

interface OfOrganization {
  readonly organizationId: OrganizationId;
  readonly companyId?: number | string | undefined;
}

/** Asks the engine about an organization that the caller sees. */
export async function withOrganization<T>(
  context: AppContext,
  ctx: SessionContext,
  of: OfOrganization,
  work: (at: EngineAt) => Promise<Result<T>>,
): Promise<Result<T>> {
  const organization = await context.store.tenant(
    ctx.tenant,
    (tx) => findSeen(tx, ctx.session, of),
    { readOnly: true },
  );
  if (organization === null) return NOT_FOUND_RESULT;
  return work({
    kind: organization.engine,
    engine: getRestoreEngine(context, organization),
    scope: scopeFor(ctx, organization.id),
  });
}

/** The engine that has the backups of an organization. */
export const getRestoreEngine = (
  { embeddedEngine, vb365Engine }: AppContext,
  { engine }: Pick<OrganizationRow, 'engine'>,
): EngineAt['engine'] => (engine === 'vb365' ? vb365Engine : embeddedEngine);

async function findSeen(
  tx: TenantTx,
  session: Principal,
  { organizationId, companyId }: OfOrganization,
): Promise<OrganizationRow | null> {
  const organization = await findOrganization(tx, session, organizationId);
  if (!organization || companyId === undefined) return organization;
  const company = await findVisibleCompany(tx, session, companyId);
  return company?.n === organization.company ? organization : null;
}

/**
 * Asks the engine about what a session of the caller shows. `workload`: the session must be for it.
 */
export async function withSession<T>(
  context: AppContext,
  ctx: SessionContext,
  { restoreSessionId }: { readonly restoreSessionId: string },
  workload: Workload | null,
  work: (at: EngineAt) => Promise<Result<T>>,
): Promise<Result<T>> {
  const row = await context.store.tenant(
    ctx.tenant,
    async (tx) => (await tx.rows('restoreSession', [restoreSessionId])).get(restoreSessionId),
    { readOnly: true },
  );
  if (row?.user !== ctx.session.userId) return NOT_FOUND_RESULT;
  const of = SESSION_WORKLOADS[row.sessionType];
  if (workload !== null && of !== workload) return NOT_FOUND_RESULT;
  if (!mayRestore(ctx.session, of)) return FORBIDDEN_RESULT;
  return withOrganization(context, ctx, { organizationId: row.organization }, work);
}

/** Runs a command of the engine once, and stores its answer and events if it succeeded. */
export function runOnce<T>(
  context: AppContext,
  ctx: SessionContext,
  work: () => Promise<Result<T>>,
  getEvents: (value: T) => readonly NewEvent[] = () => [],
): Promise<Result<T>> {
  return runAlone(context, ctx, async () => {
    const result = await work();
    if (!result.ok) return result;
    return runIdempotently<T>(context, ctx, () =>
      Promise.resolve({ drafts: getEvents(result.value), answer: () => result }),
    );
  });
}
