import { isSameName } from '#contract/backup/same-name.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { DELAY_MS, KEEP } from '#contract/backup/retention.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { FORBIDDEN_RESULT } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { toScope } from '#server/platform/sync/scope.ts';
import { getAnswer, getEngine, scopeFor, serverRefusal } from './engine-calls.ts';
import { findOrganization } from './lookup.ts';
import { loadRefusal } from './repository-refusal.ts';
import { newRepository, type NewRepository, withLock } from './repository-fields.ts';
import { warnAdministrators } from './warn-administrators.ts';

type Input = ParsedInputOf<'attachBackupRepository'>;

/** Takes over a repository that this server doesn't know, or whose index was lost (ENG-4). */
export const attachHandlers = (context: AppContext): Pick<Handlers, 'attachBackupRepository'> => ({
  async attachBackupRepository(input, ctx) {
    const { id, organizationId, password } = input;
    if (toScope(ctx.session).companies !== null) return FORBIDDEN_RESULT;
    return runAlone(context, ctx, async () => {
      const found = await context.store.tenant(ctx.tenant, (tx) => plan(tx, ctx, input), {
        readOnly: true,
      });
      if (!found.ok) return found;
      const begun = getAnswer(
        await getEngine(context).repositories.attach(scopeFor(ctx, organizationId), {
          repository: id,
          password,
          storage: input.storage,
          directoryId: found.value.organization.directoryId,
          // The retention of a repository that the provider has is known already.
          isRetainedForever: found.value.name !== null && input.retentionPolicy === KEEP,
        }),
      );
      if (!begun.ok) return begun;
      return runIdempotently<OutputOf<'attachBackupRepository'>>(context, ctx, async (tx) => {
        const planned = await plan(tx, ctx, input);
        if (!planned.ok) return refusal(planned.failure);
        const { organization, name } = planned.value;
        const storage = withLock(input.storage, begun.value);
        await audit(tx, context, ctx, {
          what: 'backuprepository.attached',
          user: null,
          detail: { repository: id },
        });
        const answer = () => ok({ _id: id, id });
        if (name === null) return { drafts: [], answer };
        return {
          drafts: [await createRow(tx, context, ctx, organization, { ...input, storage, name })],
          answer,
        };
      });
    });
  },
});

interface Plan {
  readonly organization: OrganizationRow;
  /** Of the new repository; null: the provider has it, so only its index is rebuilt. */
  readonly name: string | null;
}

async function plan(
  tx: TenantTx,
  { session }: SessionContext,
  { id, organizationId, repository }: Input,
): Promise<Result<Plan>> {
  const organization = await findOrganization(tx, session, organizationId);
  if (!organization) return failed(NOT_FOUND);
  const managed = serverRefusal(organization);
  if (managed) return managed;
  const row = (await tx.rows('backupRepository', [id])).get(id);
  if (row !== undefined)
    return row.removedAt === null && row.organization === organization.id
      ? ok({ organization, name: null })
      : failed(NOT_FOUND);
  const { company } = organization;
  const name = repository ?? (await findFreeName(tx, organization));
  const refused = await loadRefusal(tx, session, company, name, null);
  return refused ? failed(refused) : ok({ organization, name });
}

/** Returns the name of the organization, with a number if a repository has that name. */
async function findFreeName(tx: TenantTx, { company, name }: OrganizationRow): Promise<string> {
  const taken = (await tx.all('backupRepository')).filter((row) => row.company === company);
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name} ${n}`;
    if (!taken.some((row) => isSameName(row.name, free))) return free;
  }
}

interface NewRow
  extends Pick<Input, 'id' | 'retentionType' | 'retentionPolicy'>, Pick<NewRepository, 'storage'> {
  readonly name: string;
}

/** All points stay until a shorter retention applies, as after any change to one (G73). */
async function createRow(
  tx: TenantTx,
  context: AppContext,
  { session, now }: SessionContext,
  organization: OrganizationRow,
  { id, name, retentionType, retentionPolicy, storage }: NewRow,
): Promise<NewEvent> {
  const appliesAt = now + DELAY_MS;
  const isShorter = retentionPolicy !== KEEP;
  if (isShorter)
    await warnAdministrators(tx, context, session, 'shortenRetention', {
      company: organization.company,
      name,
      when: appliesAt,
    });
  return newRepository(
    id,
    organization,
    {
      repository: name,
      description: '',
      passwordDescription: '',
      retentionType,
      retentionPolicy: KEEP,
      proxy: null,
      storage,
    },
    isShorter ? { retentionPolicy, appliesAt } : null,
  );
}
