import type { TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { Vb365Server } from '#tests/fakes/vb365/server.ts';
import type { Details } from '../outbound/listen.ts';

/** A row as the API gives it. */
export type Row = Readonly<Record<string, unknown>>;
/** A job as `getBackupJob` returns it. */
export interface JobOut {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly repositoryId: string;
  readonly backupType: string;
  readonly description: string;
  readonly schedulePolicy: { readonly schedule: Row } & Row;
  readonly selectedItems: readonly Row[];
  readonly excludedItems: readonly Row[];
}

const plain = ({ name: _name, address: _address, ...item }: Row) => item;

/** What the page sends for a job. */
export const getFields = (job: JobOut) => {
  const { name, description, backupType, repositoryId, schedulePolicy } = job;
  return {
    name,
    description,
    backupType,
    repositoryId,
    schedulePolicy,
    selectedItems: job.selectedItems.map(plain),
    excludedItems: job.excludedItems.map(plain),
    version: job.version,
  };
};

/** What was recorded of changes of jobs, or of others, sorted: the clock of a test stands still. */
export const listAudited = (store: Store, tenant: string, noun = 'backupjob'): Promise<string[]> =>
  store.tenant(tenant, async ({ sql }) =>
    (
      await sql
        .selectFrom('audit')
        .select('what')
        .where('tenant_id', '=', tenant as TenantId)
        .where('what', 'like', `${noun}.%`)
        .orderBy('what')
        .execute()
    ).map(({ what }) => what),
  );

/** How many emails wait. */
export const countMails = (store: Store, tenant: string): Promise<number> =>
  store.tenant(
    tenant,
    async ({ sql }) =>
      (
        await sql
          .selectFrom('outgoing')
          .select('id')
          .where('tenant_id', '=', tenant as TenantId)
          .execute()
      ).length,
  );

/** Answers never arrive, and requests only if they should. */
export function cutAnswers(
  server: Vb365Server,
  method: string,
  { arrives = true, isOffAfterwards = false } = {},
): void {
  const answer = server.answer.bind(server);
  const cut = { status: 200, headers: { 'content-length': '9' }, body: '', cutAt: 0 };
  let isOff = false;
  server.answer = async (request): Promise<Details> => {
    if (isOff) return cut;
    const isCut = request.method === method && !/token/i.test(request.path);
    if (isCut && !arrives) return cut;
    const given = await answer(request);
    if (!isCut) return given;
    isOff = isOffAfterwards;
    return cut;
  };
}
