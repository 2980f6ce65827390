import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { KEEP } from '#contract/backup/retention.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { FORBIDDEN } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { toScope } from '#server/platform/sync/scope.ts';
import { getAnswer, getEngine, scopeFor } from './engine-calls.ts';
import { findOrganization } from './lookup.ts';
import { DELAY_MS, loadRefusal } from './repositories.ts';
import { newRepository } from './repository-fields.ts';
import { warnAdministrators } from './warn-administrators.ts';

type Input = ParsedInputOf<'attachBackupRepository'>;

/** Takes over a repository that this server doesn't know, or whose index was lost (ENG-4). */
export const attachHandlers = (world: AppContext): Pick<Handlers, 'attachBackupRepository'> => ({
  async attachBackupRepository(input, ctx) {
    const { id, organizationId, password } = input;
    if (toScope(ctx.session).companies !== null) return FORBIDDEN;
    return runAlone(world, ctx, async () => {
      const found = await world.store.tenant(ctx.tenant, (tx) => plan(tx, ctx, input), {
        readOnly: true,
      });
      if (!found.ok) return found;
      const begun = getAnswer(
        await getEngine(world).repositories.attach(scopeFor(ctx, organizationId), {
          repository: id,
          password,
          directoryId: found.value.organization.directoryId,
        }),
      );
      if (!begun.ok) return begun;
      return runIdempotently<OutputOf<'attachBackupRepository'>>(world, ctx, async (tx) => {
        const planned = await plan(tx, ctx, input);
        if (!planned.ok) return refusal(planned.failure);
        const { organization, isKnown } = planned.value;
        await audit(tx, world, ctx, {
          what: 'backuprepository.attached',
          user: null,
          detail: { repository: id },
        });
        const answer = () => ok({ _id: id, id });
        if (isKnown) return { drafts: [], answer };
        return { drafts: [await createRow(tx, world, ctx, organization, input)], answer };
      });
    });
  },
});

interface Plan {
  readonly organization: OrganizationRow;
  /** The provider has the repository: only its index is rebuilt. */
  readonly isKnown: boolean;
}

async function plan(
  tx: TenantTx,
  { session }: SessionContext,
  { id, organizationId, repository: name }: Input,
): Promise<Result<Plan>> {
  const organization = await findOrganization(tx, session, organizationId);
  if (!organization) return failed(NOT_FOUND);
  const row = (await tx.rows('backupRepository', [id])).get(id);
  if (row !== undefined)
    return row.removedAt === null && row.organization === organization.id
      ? ok({ organization, isKnown: true })
      : failed(NOT_FOUND);
  const { company, name: ownName } = organization;
  const refused = await loadRefusal(tx, session, company, name ?? ownName, null);
  return refused ? failed(refused) : ok({ organization, isKnown: false });
}

/** All points stay until a shorter retention applies, as after any change to one (G73). */
async function createRow(
  tx: TenantTx,
  world: AppContext,
  { session, now }: SessionContext,
  organization: OrganizationRow,
  { id, repository, retentionType, retentionPolicy }: Input,
): Promise<NewEvent> {
  const appliesAt = now + DELAY_MS;
  const isShorter = retentionPolicy !== KEEP;
  if (isShorter)
    await warnAdministrators(tx, world, session, 'shortenRetention', {
      company: organization.company,
      name: repository ?? organization.name,
      when: appliesAt,
    });
  return newRepository(
    id,
    organization,
    {
      repository,
      description: '',
      passwordDescription: '',
      retentionType,
      retentionPolicy: KEEP,
      proxy: null,
    },
    isShorter ? { retentionPolicy, appliesAt } : null,
  );
}
