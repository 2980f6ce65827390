import { getActiveHolds } from '#contract/backup/legal-holds.ts';
import { isSameName } from '#contract/backup/same-name.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import type { NewEvent } from '#contract/events.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, Principal, SessionContext } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import {
  getAnswer,
  getEngine,
  getEngineFor,
  scopeFor,
  serverRefusal,
  type SetupEngine,
} from './engine-calls.ts';
import {
  compareByName,
  findVisibleCompany,
  findOrganization,
  isRowVisible,
  pageFrom,
} from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';
import {
  changesConnection,
  connectInput,
  connectionRefusal,
  getLacking,
  organizationData,
} from './organization-connection.ts';
import { organizationsOut } from './organization-output.ts';
import { joinServer } from './proxies.ts';
import {
  getStorageInput,
  lockRefusal,
  newRepository,
  passwordRefusal,
} from './repository-fields.ts';
import { proxyRefusal } from './proxies.ts';
import { warnAdministrators } from './warn-administrators.ts';
import type { BackupRepositoryId, Ms, OrganizationId } from '#contract/ids.ts';

type Names =
  | 'listOrganizations'
  | 'createOrganization'
  | 'listOrganizationNames'
  | 'getOrganization'
  | 'updateOrganization'
  | 'setRestoreApproval'
  | 'deleteOrganization';

/** How long the backups of a deleted organization are kept. */
const KEEP_DATA_MS = 30 * 86_400_000;

/**
 * SUITE-3: who may manage organizations does so for the companies that they see. The engine signs
 * in to a tenant outside of any transaction.
 */
export function organizationHandlers(context: AppContext): Pick<Handlers, Names> {
  const read = <T>(ctx: SessionContext, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(ctx.tenant, work, { readOnly: true });

  return {
    listOrganizations: ({ companyId, search = '', ...page }, ctx) =>
      read(ctx, async (tx) => {
        const company =
          companyId === undefined
            ? undefined
            : await findVisibleCompany(tx, ctx.session, companyId);
        const found = (await visibleOrganizations(tx, ctx.session)).filter(
          (one) =>
            (company === undefined || one.company === company?.n) &&
            `${one.name} ${one.officeName}`.toLowerCase().includes(search.toLowerCase()),
        );
        const { rows, ...rest } = pageFrom(found, page);
        return ok({ ...rest, rows: await organizationsOut(tx, rows) });
      }),

    listOrganizationNames: (_, ctx) =>
      read(ctx, async (tx) =>
        ok(
          (await visibleOrganizations(tx, ctx.session)).map(({ id, name, company }) => ({
            _id: id,
            name,
            companyN: company,
          })),
        ),
      ),

    getOrganization: ({ organizationId }, ctx) =>
      read(ctx, async (tx) => {
        const row = await findOrganization(tx, ctx.session, organizationId);
        const [found] = row ? await organizationsOut(tx, [row]) : [];
        return found ? ok(found) : failed(NOT_FOUND);
      }),

    createOrganization({ companyId, type, repository, ...fields }, ctx) {
      const engine = getEngine(context);
      const { capabilities, organizations, repositories } = engine;
      return runAlone(context, ctx, async () => {
        const wrong =
          connectionRefusal(fields, capabilities, null) ??
          (repository
            ? (passwordRefusal(repository, 'repository.') ?? lockRefusal(repository, 'repository.'))
            : null) ??
          (await read(ctx, async (tx) => {
            if (!(await findVisibleCompany(tx, ctx.session, companyId))) return failed(NOT_FOUND);
            const refused = await loadRefusal(tx, ctx.session, fields.name, null);
            return refused ? failed(refused) : proxyRefusal(tx, repository?.proxy, 'repository.');
          }));
        if (wrong) return wrong;
        const id = context.chance.uuid() as OrganizationId;
        const scope = scopeFor(ctx, id);
        const repositoryId = repository ? (context.chance.uuid() as BackupRepositoryId) : null;
        const created =
          repository && repositoryId
            ? getAnswer(
                await repositories.create(scope, {
                  repository: repositoryId,
                  password: repository.password ?? null,
                  passwordHint: repository.passwordDescription || null,
                  ...getStorageInput(repository, ctx.now),
                }),
              )
            : ok(undefined);
        if (!created.ok) return created;
        // A tenant that can't be added is refused before an application is created in it.
        const accept = async (directoryId: string): Promise<EngineResult<void>> => {
          const refused = await read(ctx, (tx) =>
            loadRefusal(tx, ctx.session, fields.name, directoryId),
          );
          return refused
            ? { ok: false, error: { kind: 'conflict', message: refused.message } }
            : { ok: true, value: undefined };
        };
        const connected = getAnswer(
          await organizations.connect(scope, { ...connectInput(fields, null), accept }),
        );
        const answer = connected.ok
          ? await runIdempotently<OutputOf<'createOrganization'>>(context, ctx, async (tx) => {
              const company = await findVisibleCompany(tx, ctx.session, companyId);
              if (!company) return refusal(NOT_FOUND);
              const { directoryId, applicationId } = connected.value;
              const refused = await loadRefusal(tx, ctx.session, fields.name, directoryId);
              if (refused)
                return refusal({
                  ...refused,
                  message:
                    fields.newApplicationName === undefined || applicationId === null
                      ? refused.message
                      : t.applicationLeft({ refusal: refused.message, applicationId }),
                });
              await audit(tx, context, ctx, {
                what: 'organization.created',
                user: null,
                detail: { organization: id, company: company.n },
              });
              const about = { company: company.n, entity: `organization:${id}` };
              return {
                drafts: [
                  {
                    event: {
                      type: 'organization.created@1',
                      data: {
                        id,
                        company: company.n,
                        engine: engine.kind,
                        type,
                        ...organizationData(fields, connected.value),
                      },
                    },
                    ...about,
                  },
                  ...(repository && repositoryId
                    ? [
                        newRepository(
                          repositoryId,
                          { company: company.n, id, ...fields },
                          repository,
                        ),
                      ]
                    : []),
                  ...(await joinServer(tx, context)),
                ],
                answer: () => ok({ _id: id, id, repositoryId, ...getLacking(connected.value) }),
              };
            })
          : connected;
        if (answer.ok && answer.value.id === id) return answer;
        // What was created for it is unused.
        if (connected.ok) await organizations.disconnect(scope);
        if (repositoryId !== null) await repositories.delete(scope, { repository: repositoryId });
        return answer;
      });
    },

    updateOrganization({ organizationId, ...fields }, ctx) {
      return runAlone(context, ctx, async () => {
        const row = await read(ctx, (tx) => findOrganization(tx, ctx.session, organizationId));
        if (!row) return failed(NOT_FOUND);
        const engine = getEngineFor(context, row);
        const wrong =
          serverRefusal(row) ??
          connectionRefusal(fields, engine.capabilities, row) ??
          (await read(ctx, async (tx) => {
            const refused = await loadRefusal(tx, ctx.session, fields.name, null, row.id);
            return refused && failed(refused);
          }));
        if (wrong) return wrong;
        const connected = await reconnect(engine, ctx, fields, row);
        if (!connected.ok) return connected;
        return runIdempotently<OutputOf<'updateOrganization'>>(context, ctx, async (tx) => {
          const now = await findOrganization(tx, ctx.session, organizationId);
          if (!now) return refusal(NOT_FOUND);
          const refused = await loadRefusal(tx, ctx.session, fields.name, null, now.id);
          if (refused) return refusal(refused);
          await audit(tx, context, ctx, {
            what: 'organization.updated',
            user: null,
            detail: { organization: now.id, access: connected.value !== null },
          });
          return {
            drafts: [
              about(now, {
                type: 'organization.updated@1',
                data: { id: now.id, ...organizationData(fields, connected.value ?? now) },
              }),
            ],
            answer: () => ok(getLacking(connected.value ?? now)),
          };
        });
      });
    },

    setRestoreApproval: ({ organizationId, needsApproval }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const row = await findOrganization(tx, ctx.session, organizationId);
        if (!row) return refusal(NOT_FOUND);
        await audit(tx, context, ctx, {
          what: 'organization.approvalset',
          user: null,
          detail: { organization: row.id, needsApproval },
        });
        const data = { id: row.id, needsApproval };
        return {
          drafts: [about(row, { type: 'organization.approvalset@1', data })],
          answer: () => ok({}),
        };
      }),

    deleteOrganization({ organizationId }, ctx) {
      return runAlone(context, ctx, async () => {
        const found = await read(ctx, async (tx) => {
          const row = await findOrganization(tx, ctx.session, organizationId);
          return row && { row, jobs: await loadJobs(tx, row.id) };
        });
        if (!found) return failed(NOT_FOUND);
        const onHold = holdRefusal(found.row, ctx.now);
        if (onHold) return failed(onHold);
        const scope = scopeFor(ctx, found.row.id);
        const engine = getEngineFor(context, found.row);
        const isImported = engine.kind === 'vb365';
        // The server of an imported organization continues with its jobs.
        for (const { id, running } of found.jobs)
          if (running && !isImported) await engine.jobs.stop(scope, { job: id });
        const disconnected = getAnswer(await engine.organizations.disconnect(scope));
        if (!disconnected.ok && disconnected.failure.kind !== 'not-found') return disconnected;
        return runIdempotently<{ dataUntil: number }>(context, ctx, async (tx) => {
          const row = await findOrganization(tx, ctx.session, organizationId);
          if (!row) return refusal(NOT_FOUND);
          const placed = holdRefusal(row, ctx.now);
          if (placed) return refusal(placed);
          // The backups of an imported organization stay on its server.
          const dataUntil = isImported ? ctx.now : ctx.now + KEEP_DATA_MS;
          const { company, name } = row;
          await warnAdministrators(
            tx,
            context,
            ctx.session,
            isImported ? 'deleteImportedOrganization' : 'deleteOrganization',
            { company, name, when: dataUntil },
          );
          await audit(tx, context, ctx, {
            what: 'organization.deleted',
            user: null,
            detail: { organization: row.id },
          });
          return {
            drafts: [
              ...(await loadJobs(tx, row.id)).map(({ id }) => ({
                event: { type: 'backupjob.deleted@1' as const, data: { id } },
                company,
                entity: `backupjob:${id}`,
              })),
              about(row, { type: 'organization.deleted@1', data: { id: row.id, dataUntil } }),
            ],
            answer: () => ok({ dataUntil }),
          };
        });
      });
    },
  };
}

const about = (row: OrganizationRow, event: NewEvent['event']): NewEvent => ({
  event,
  company: row.company,
  entity: `organization:${row.id}`,
});

const visibleOrganizations = async (tx: TenantTx, session: Principal): Promise<OrganizationRow[]> =>
  (await tx.all('organization')).filter((one) => isRowVisible(session, one)).sort(compareByName);

const loadJobs = async (tx: TenantTx, organization: OrganizationId) =>
  (await tx.all('backupJob')).filter(
    (job) => job.organization === organization && job.removedAt === null,
  );

/** Returns what the tenant said, or null if nothing about the connection changes. */
async function reconnect(
  { organizations }: SetupEngine,
  ctx: SessionContext,
  fields: Parameters<typeof connectInput>[0],
  row: OrganizationRow,
) {
  if (!changesConnection(fields, row)) return ok(null);
  return getAnswer(await organizations.connect(scopeFor(ctx, row.id), connectInput(fields, row)));
}

/**
 * Returns why an organization can't be saved: its name or its tenant is taken. Whose tenant it is
 * stays hidden from users who don't see that company (G72).
 */
async function loadRefusal(
  tx: TenantTx,
  session: Principal,
  name: string,
  directoryId: string | null,
  own: string | null = null,
): Promise<Extract<Failure, { readonly kind: 'conflict' }> | null> {
  const others = (await tx.all('organization')).filter(
    ({ id, removedAt }) => id !== own && removedAt === null,
  );
  const same =
    directoryId === null ? undefined : others.find((one) => one.directoryId === directoryId);
  if (same)
    return conflict(
      isRowVisible(session, same) ? t.tenantExists({ name: same.name }) : t.tenantTaken,
    );
  if (others.some((one) => isRowVisible(session, one) && isSameName(one.name, name)))
    return conflict(t.nameTaken);
  return own === null && others.length >= LIMITS.organizations
    ? conflict(t.organizationsFull({ max: LIMITS.organizations }))
    : null;
}

/** ENG-121: an organization with a legal hold isn't deleted. */
function holdRefusal(row: OrganizationRow, now: Ms) {
  const count = getActiveHolds(row, now).length;
  return count === 0 ? null : conflict(t.organizationOnHold({ count }));
}

const conflict = (message: string) => ({ kind: 'conflict', message }) as const;
