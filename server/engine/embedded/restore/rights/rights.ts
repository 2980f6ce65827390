import { NOBODY } from '#server/platform/auth/nobody.ts';
import { sql } from 'kysely';
import type { EngineResult, EngineScope, EngineId, Workload } from '#contract/engine/engine.ts';
import type { RestoreRights, RestoreRightsCalls } from '#contract/engine/restore-rights.ts';
import type { DeviceCodeId, Ms, OrganizationId, TaskId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';
import {
  createRegistration,
  deleteRegistration,
  ensurePrincipal,
  grantPermissions,
  newCertificate,
} from '../../entra/application.ts';
import type { GraphClient } from '../../graph/client.ts';
import {
  type Access,
  type GraphConnections,
  loadOrganizationAccess,
} from '../../organizations/access.ts';
import {
  checkStoredDeviceCode,
  type ClaimedCode,
  deleteCode,
  findRestoreCode,
  startDeviceCode,
  withDeviceCode,
} from '../../organizations/device-codes.ts';
import { accessMessages } from '../../organizations/messages.en.ts';
import {
  NOT_ACCEPTED,
  NOT_YET,
  SETUP_MS,
  signedIn,
  TRY_AGAIN_MS,
  repeatUntilKnown,
} from '../../organizations/modern.ts';
import { readOwner } from '../../organizations/owner.ts';
import { failed, ok } from '../../../result.ts';
import { restoreMessages as t } from '../../../shared/restore.messages.en.ts';
import {
  closeGrant,
  findGrant,
  listLeftovers,
  type NewGrant,
  getOwner,
  recordGrant,
  storeGrant,
} from './grants.ts';
import {
  findMissing,
  type MailboxPart,
  neededFor,
  listWantedPermissions,
} from '../../entra/permissions.ts';
import { findMailboxParts, type Plan } from '../plan.ts';

/** Restores may start for an hour, or less: as long as the administrator's sign-in can remove the rights. */
const LONGEST_MS: Ms = 60 * 60_000;
/** Restores that have started keep the rights for a day: a large mailbox takes hours. */
const LONGEST_RESTORE_MS: Ms = 24 * 60 * 60_000;
const REMOVAL_MS: Ms = 5 * 60_000;
const CHECK_MS: Ms = 25_000;

/** With which rights a task writes. `grant` null: with those of the backup application. */
export interface TaskRights extends WriteScope {
  readonly grant: EngineId | null;
}
/** What is written to. */
interface WriteScope {
  readonly workload: Workload;
  /** Of mailboxes. Absent: all, as in tasks of former versions. */
  readonly parts?: readonly MailboxPart[] | undefined;
}

/** Decides whether a user may start a task that writes. */
export interface RightsPort {
  readonly calls: RestoreRightsCalls;
  allow(scope: EngineScope, write: WriteScope): Promise<EngineResult<TaskRights>>;
}

export function makeRestoreRights(
  context: () => AppContext,
  connections: GraphConnections,
): RightsPort {
  /** What the backup application of an organization lacks. */
  const findOwnMissing = async (
    { tenant, organization }: EngineScope,
    { workload, parts }: WriteScope,
  ): Promise<EngineResult<readonly string[]>> => {
    const ports = await connections.open(tenant, organization);
    return ports.ok
      ? findMissing(ports.value.tokens, neededFor(workload, parts), AbortSignal.timeout(CHECK_MS))
      : ports;
  };
  const findActive = (scope: EngineScope, workload: Workload | null) =>
    context().store.tenant(
      scope.tenant,
      (tx) => findGrant(tx, scope, workload, context().clock.now()),
      { readOnly: true },
    );
  const get = async (
    scope: EngineScope,
    { workload, parts }: WriteScope,
  ): Promise<EngineResult<RestoreRights>> => {
    const missing = await findOwnMissing(scope, { workload, parts });
    if (!missing.ok) return missing;
    const requested = listWantedPermissions(workload);
    if (missing.value.length === 0) return ok({ missing: [], requested, expiresAt: null });
    const grant = await findActive(scope, workload);
    return ok(
      grant === null
        ? { missing: missing.value, requested, expiresAt: null }
        : { missing: [], requested, expiresAt: grant.expiresAt },
    );
  };

  return {
    async allow(scope, { workload, parts }) {
      const missing = await findOwnMissing(scope, { workload, parts });
      if (!missing.ok) return missing;
      if (missing.value.length === 0) return ok({ grant: null, workload, parts });
      const grant = await findActive(scope, workload);
      return grant === null
        ? failed('forbidden', t.missingRights({ names: missing.value.join(', ') }))
        : ok({ grant: grant.id, workload, parts });
    },
    calls: {
      get,
      async getForTask(scope, { task }) {
        const target = await findTarget(context(), scope, task);
        if (target === null) return failed('missing', t.noTask);
        const { organization, workload } = target;
        const rights = await get({ ...scope, organization }, target);
        return rights.ok ? ok({ ...rights.value, organization, workload }) : rights;
      },
      async requestCode(scope, { workload }) {
        getOwner(scope);
        const access = await loadOrganizationAccess(context(), scope.tenant, scope.organization);
        if (!access.ok) return access;
        const { organization } = scope;
        const code = await startDeviceCode(context(), connections, scope, access.value.region, {
          organization,
          workload,
        });
        if (!code.ok) return code;
        const permissions = listWantedPermissions(workload);
        await context().store.tenant(scope.tenant, (tx) =>
          record(tx, context(), scope, 'restorerights.requested', {
            permissions: permissions.join(' '),
          }),
        );
        return ok({ ...code.value, permissions });
      },
      async checkCode(scope) {
        const code = await findRestoreCode(context(), scope);
        if (code) return checkStoredDeviceCode(context(), connections, scope, code.id);
        // An answer was lost: the code is used, and the rights are there.
        return (await findActive(scope, null)) === null ? NO_CODE : ok('granted');
      },
      async grant(scope) {
        const code = await findRestoreCode(context(), scope);
        if (code) return grantByCode(context(), connections, scope, code);
        const grant = await findActive(scope, null);
        return grant === null ? NO_CODE : ok({ expiresAt: grant.expiresAt });
      },
    },
  };
}

const NO_CODE = failed('missing', accessMessages.noCode);

/**
 * Creates an application that may write, as the administrator who signed in by device code. The
 * application is known here before it has any right, so that its job removes it whatever happens.
 */
async function grantByCode(
  context: AppContext,
  connections: GraphConnections,
  scope: EngineScope,
  { id, workload }: { readonly id: DeviceCodeId; readonly workload: Workload | null },
): Promise<EngineResult<{ readonly expiresAt: Ms }>> {
  const { tenant, organization } = scope;
  const { store, clock } = context;
  const own = await loadOrganizationAccess(context, tenant, organization);
  if (!own.ok) return own;
  const fresh = await newCertificate(context);
  return withDeviceCode(
    context,
    scope,
    id,
    { fresh, replaces: null, organization },
    async (claimed) => {
      const { client, person } = signedIn(connections, claimed);
      const owner = await readOwner(person);
      if (!owner.ok) return owner;
      if (owner.value.directoryId !== own.value.directory) {
        // The sign-in of somebody else's tenant isn't kept.
        await store.tenant(tenant, (tx) => deleteCode(tx, id));
        return failed('refused', accessMessages.otherSignIn);
      }
      await removeLeftovers(context, scope, client);
      const registration = await createRegistration(client, t.application, claimed.certificate);
      if (!registration.ok) return registration;
      const { appId, id: registrationId } = registration.value;
      const wanted = listWantedPermissions(workload);
      const { accessToken, tokenExpiresAt, region } = claimed;
      const expiresAt = Math.min(tokenExpiresAt - REMOVAL_MS, clock.now() + LONGEST_MS);
      const grant: NewGrant = {
        id,
        region,
        workload,
        permissions: wanted,
        registrationId,
        expiresAt,
        restoresEndAt: clock.now() + LONGEST_RESTORE_MS,
        access: null,
        accessToken,
        tokenExpiresAt,
      };
      await store.tenant(tenant, (tx) => storeGrant(tx, context, scope, grant));
      const missing = await repeatUntilKnown(connections, claimed, NOT_YET, async () => {
        const principal = await ensurePrincipal(client, appId);
        return principal.ok ? grantPermissions(client, principal.value, wanted) : principal;
      });
      if (!missing.ok) return missing;
      const lacking = neededFor(workload).filter((permission) =>
        missing.value.includes(permission),
      );
      if (lacking.length > 0) {
        await store.tenant(tenant, async (tx) => {
          await deleteCode(tx, id);
          await scheduleJob(tx, 'restore-rights', id, { grant: id }, clock.now());
        });
        return failed('forbidden', t.rightsNotGranted({ names: lacking.join(', ') }));
      }
      const access: Access = {
        region,
        directory: own.value.directory,
        applicationId: appId,
        credential: {
          kind: 'certificate',
          certificate: claimed.certificate.certificate,
          privateKey: claimed.certificate.privateKey,
        },
      };
      const works = await waitUntilGranted(connections, claimed, access, neededFor(workload));
      if (!works.ok) return works;
      await store.tenant(tenant, async (tx) => {
        await storeGrant(tx, context, scope, { ...grant, access });
        await deleteCode(tx, id);
        await record(tx, context, scope, 'restorerights.granted', {
          grant: id,
          application: appId,
          permissions: wanted.join(' '),
          expiresAt,
        });
      });
      return ok({ expiresAt });
    },
  );
}

/** Waits until the tokens of a new application have its permissions. */
async function waitUntilGranted(
  connections: GraphConnections,
  claimed: ClaimedCode,
  access: Access,
  permissions: readonly string[],
): Promise<EngineResult<void>> {
  const works = await repeatUntilKnown<void>(connections, claimed, NOT_ACCEPTED, async () => {
    const { tokens } = connections.try(access);
    const missing = await findMissing(tokens, permissions, AbortSignal.timeout(SETUP_MS));
    if (!missing.ok) return missing;
    return missing.value.length === 0
      ? ok(undefined)
      : failed('forbidden', t.rightsNotGranted({ names: missing.value.join(', ') }));
  });
  if (works.ok || !NOT_ACCEPTED.has(works.error.kind)) return works;
  return failed('busy', t.rightsNotYet, { waitMs: TRY_AGAIN_MS });
}

/** Removes what could not be removed when its session ended. Nobody can sign in with it since. */
async function removeLeftovers(
  { store }: AppContext,
  { tenant, organization }: EngineScope,
  client: GraphClient,
): Promise<void> {
  const left = await store.tenant(tenant, (tx) => listLeftovers(tx, organization), {
    readOnly: true,
  });
  for (const { id, registration_id: registration } of left) {
    const removed = await deleteRegistration(client, registration);
    if (removed.ok) await store.tenant(tenant, (tx) => closeGrant(tx, id, true));
  }
}

/** Finds out what a restore, also one that a dry run tried, and its undo write to. */
export async function findTarget(
  context: AppContext,
  { tenant, organization }: EngineScope,
  task: TaskId,
): Promise<(WriteScope & { readonly organization: OrganizationId }) | null> {
  const { rows } = await context.store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ organization: OrganizationId; workload: Workload; plan: Plan | null }>`
        select coalesce(r.request #>> '{input,target,organization}', r.organization_id::text) as organization, e.workload,
          r.request -> 'plan' as plan
        from engine_task as t
        cross join lateral (select case t.kind when 'undo' then t.parent_id else t.id end as id offset 0) as own
        join engine_task as r on r.tenant_id = ${tenant} and r.id = own.id
        cross join lateral (select (r.request -> 'input' ->> 'explorer')::uuid as id offset 0) as x
        join explorer as e on e.tenant_id = ${tenant} and e.id = x.id
        where t.tenant_id = ${tenant} and t.organization_id = ${organization} and t.id = ${task}::uuid`.execute(
        db,
      ),
    { readOnly: true },
  );
  if (rows[0] === undefined) return null;
  const { plan, ...target } = rows[0];
  const isOfMailboxes = target.workload === 'outlook' && plan !== null;
  return { ...target, ...(isOfMailboxes && { parts: findMailboxParts(plan) }) };
}

const record = (
  tx: Parameters<typeof recordGrant>[0],
  context: AppContext,
  { organization, user, origin }: EngineScope,
  what: 'restorerights.requested' | 'restorerights.granted',
  detail: Readonly<Record<string, string | number>>,
): Promise<void> =>
  recordGrant(tx, context, {
    what,
    user: null,
    detail: { organization, ...detail },
    origin: origin ?? {
      ip: '',
      agent: '',
      actor: user ?? NOBODY,
      impersonation: null,
      key: null,
    },
  });
