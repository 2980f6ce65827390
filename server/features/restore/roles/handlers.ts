import { isSameName } from '#contract/backup/same-name.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { NewEvent } from '#contract/events.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RestoreRoleRow, RoleItem } from '#contract/restore/roles.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, Principal, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import {
  compareByName,
  findVisibleCompany,
  findOrganization,
  isRowVisible,
  pageFrom,
} from '../../backup/lookup.ts';
import { scopeFor } from '../../backup/engine-calls.ts';
import { findUnknownItem, readUnknownItems } from '../../backup/unknown-items.ts';
import { restoreCallMessages as shared } from '../messages.en.ts';
import { restoreRoleMessages as t } from './messages.en.ts';
import { roleInFull, rolesOut, type RoleOut } from './output.ts';
import type { CompanyN, OrganizationId } from '#contract/ids.ts';

type Names =
  | 'listAllRestoreRoles'
  | 'createRestoreRole'
  | 'listRestoreRoles'
  | 'getRestoreRole'
  | 'updateRestoreRole'
  | 'deleteRestoreRole';
type RoleFields = Omit<ParsedInputOf<'createRestoreRole'>, 'organizationId' | 'companyId' | 'id'>;
interface OfRole {
  readonly organizationId: OrganizationId;
  readonly opRoleId: string;
}

/** RES-50: who restores for others, of the organizations that the caller sees. */
export function restoreRoleHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(ctx: SessionContext, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(ctx.tenant, work, { readOnly: true });

  /** Members are read again before an operator signs in. */
  const readGroups = async (
    ctx: SessionContext,
    organization: OrganizationId,
    fields: RoleFields,
  ) => {
    const groups = [...fields.operators, ...fields.selectedItems, ...fields.excludedItems].flatMap(
      ({ type, id }) => (type === 'Group' ? [id] : []),
    );
    const scope = { tenant: ctx.tenant, organization };
    const done = await context.embeddedEngine.operators.refreshGroups(scope, {
      groups,
      maxAgeMs: 0,
    });
    if (!done.ok)
      context.log.warn('the members of groups could not be read', { error: done.error.message });
  };

  /** Items that the directory lacks may have been added since it was read. */
  const readItems = (
    ctx: SessionContext,
    organization: OrganizationId,
    { operators, selectedItems, excludedItems }: RoleFields,
  ): Promise<ReadonlySet<string>> =>
    readUnknownItems(
      context,
      { tenant: ctx.tenant, organization },
      [...operators, ...selectedItems, ...excludedItems],
      (input) =>
        context.embeddedEngine.organizations.listObjects(scopeFor(ctx, organization), input),
    );

  const command = (
    ctx: SessionContext,
    of: OfRole,
    what: string,
    decide: (tx: TenantTx, role: RestoreRoleRow) => Promise<Result<NewEvent['event']>>,
  ): Promise<Result<Record<string, never>>> =>
    runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
      const role = await findRole(tx, ctx.session, of);
      if (!role) return refusal(NOT_FOUND);
      const event = await decide(tx, role);
      if (!event.ok) return refusal(event.failure);
      const detail = { role: role.id, organization: role.organization };
      await audit(tx, context, ctx, { what, user: null, detail });
      return { drafts: [about(role, event.value)], answer: () => ok({}) };
    });

  return {
    listAllRestoreRoles: ({ organizationId, companyId, search = '', ...page }, ctx) =>
      read(ctx, async (tx) => {
        const company =
          companyId === undefined
            ? undefined
            : await findVisibleCompany(tx, ctx.session, companyId);
        return listRoles(
          tx,
          ctx,
          (role) =>
            (organizationId === undefined || role.organization === organizationId) &&
            (company === undefined || role.company === company?.n),
          { ...page, search },
        );
      }),

    listRestoreRoles: ({ organizationId, search = '', ...page }, ctx) =>
      read(ctx, async (tx) =>
        (await findOrganization(tx, ctx.session, organizationId))
          ? listRoles(tx, ctx, ({ organization }) => organization === organizationId, {
              ...page,
              search,
            })
          : failed(NOT_FOUND),
      ),

    getRestoreRole: (of, ctx) =>
      read(ctx, async (tx) => {
        const role = await findRole(tx, ctx.session, of);
        const out = role && (await roleInFull(tx, role));
        return out ? ok(out) : failed(NOT_FOUND);
      }),

    async createRestoreRole({ organizationId, companyId, ...sent }, ctx) {
      const { id: _, ...fields } = sent;
      const id = context.chance.uuid();
      const owner = await read(ctx, (tx) => findOrganization(tx, ctx.session, organizationId));
      const readTypes =
        owner?.engine === 'embedded'
          ? await readItems(ctx, organizationId, fields)
          : new Set<string>();
      const created = await runIdempotently<OutputOf<'createRestoreRole'>>(
        context,
        ctx,
        async (tx) => {
          const organization = await findOrganization(tx, ctx.session, organizationId);
          if (!organization || !(await isOfCompany(tx, ctx, organization.company, companyId)))
            return refusal(NOT_FOUND);
          if (organization.engine !== 'embedded')
            return refusal({ kind: 'conflict', message: shared.restoredByServer });
          const refused = await getRefusal(tx, organizationId, fields, null, readTypes);
          if (refused) return refusal(refused);
          const { company } = organization;
          const detail = { role: id, organization: organizationId };
          await audit(tx, context, ctx, { what: 'restorerole.created', user: null, detail });
          return {
            drafts: [
              about(
                { id, company },
                {
                  type: 'restorerole.created@1',
                  data: { id, company, organization: organizationId, ...fields },
                },
              ),
            ],
            answer: () => ok({ _id: id, id }),
          };
        },
      );
      if (created.ok) await readGroups(ctx, organizationId, fields);
      return created;
    },

    async updateRestoreRole({ organizationId, opRoleId, companyId, id: named, ...fields }, ctx) {
      const of = { organizationId, opRoleId };
      const readTypes = (await read(ctx, (tx) => findRole(tx, ctx.session, of)))
        ? await readItems(ctx, organizationId, fields)
        : new Set<string>();
      const updated = await command(ctx, of, 'restorerole.updated', async (tx, role) => {
        const { id, company } = role;
        const isNamed = named === null || named === id;
        if (!isNamed || !(await isOfCompany(tx, ctx, company, companyId))) return failed(NOT_FOUND);
        const refused = await getRefusal(tx, organizationId, fields, role, readTypes);
        return refused
          ? failed(refused)
          : ok({ type: 'restorerole.updated@1', data: { id, ...fields } });
      });
      if (updated.ok) await readGroups(ctx, organizationId, fields);
      return updated;
    },

    deleteRestoreRole: (of, ctx) =>
      command(ctx, of, 'restorerole.deleted', (_tx, { id }) =>
        Promise.resolve(ok({ type: 'restorerole.deleted@1', data: { id } })),
      ),
  };
}

/** Whether a company that a request names, if it does, is the one of the organization. */
const isOfCompany = async (
  tx: TenantTx,
  { session }: SessionContext,
  company: CompanyN,
  named: number | string | null,
): Promise<boolean> =>
  named === null || (await findVisibleCompany(tx, session, named))?.n === company;

async function listRoles(
  tx: TenantTx,
  { session }: SessionContext,
  isWanted: (role: RestoreRoleRow) => boolean,
  page: {
    readonly search: string;
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
  },
): Promise<Result<{ rows: RoleOut[]; next: string | null; count: number }>> {
  const found = (await visibleRoles(tx, session)).filter(
    (role) => isWanted(role) && role.name.toLowerCase().includes(page.search.toLowerCase()),
  );
  const { rows, ...rest } = pageFrom(found, page);
  return ok({ ...rest, rows: await rolesOut(tx, rows) });
}

const about = (
  { id, company }: Pick<RestoreRoleRow, 'id' | 'company'>,
  event: NewEvent['event'],
): NewEvent => ({ event, company, entity: `restorerole:${id}` });

/** Roles of a deleted organization are gone with it. */
async function visibleRoles(tx: TenantTx, session: Principal): Promise<RestoreRoleRow[]> {
  const organizations = new Set(
    (await tx.all('organization')).filter((one) => isRowVisible(session, one)).map(({ id }) => id),
  );
  return (await tx.all('restoreRole'))
    .filter((role) => role.removedAt === null && organizations.has(role.organization))
    .sort(compareByName);
}

async function findRole(
  tx: TenantTx,
  session: Principal,
  { organizationId, opRoleId }: OfRole,
): Promise<RestoreRoleRow | null> {
  if (!(await findOrganization(tx, session, organizationId))) return null;
  const role = (await tx.rows('restoreRole', [opRoleId])).get(opRoleId);
  return role?.organization === organizationId && role.removedAt === null ? role : null;
}

/** Returns why a role can't be saved like this; null if it can. `before` null: a new one. */
async function getRefusal(
  tx: TenantTx,
  organization: OrganizationId,
  fields: RoleFields,
  before: RestoreRoleRow | null,
  readTypes: ReadonlySet<string>,
): Promise<Failure | null> {
  const id = before?.id ?? null;
  const wrong = getFieldRefusal(fields);
  if (wrong !== null) return wrong;
  const roles = (await tx.all('restoreRole')).filter((role) => role.removedAt === null);
  const isTaken = roles.some(
    (role) =>
      role.organization === organization && role.id !== id && isSameName(role.name, fields.name),
  );
  if (isTaken) return { kind: 'conflict', message: t.nameTaken };
  if (id === null && roles.length >= LIMITS.restoreRoles)
    return { kind: 'conflict', message: t.rolesFull({ max: LIMITS.restoreRoles }) };
  const { operators, selectedItems, excludedItems } = fields;
  const unknown = await findUnknownItem(
    tx,
    organization,
    { operators, selectedItems, excludedItems },
    readTypes,
    before === null ? [] : [...before.operators, ...before.selectedItems, ...before.excludedItems],
  );
  return unknown === null ? null : badInput(unknown, t.unknownItem);
}

function getFieldRefusal({
  roleType,
  selectedItems,
  excludedItems,
  withoutReading,
  mayDownload,
}: RoleFields): Failure | null {
  if (withoutReading && mayDownload) return badInput('mayDownload', t.downloadNeedsReading);
  if (roleType === 'EntireOrganization') return null;
  if (selectedItems.length === 0) return badInput('selectedItems', t.noItems);
  const excluded = new Set(excludedItems.map(getKey));
  return selectedItems.some((item) => excluded.has(getKey(item)))
    ? badInput('excludedItems', t.bothLists)
    : null;
}

const getKey = ({ type, id }: RoleItem): string => `${type} ${id}`;
const badInput = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
