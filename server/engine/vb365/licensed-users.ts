import type { Ms, OrganizationId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, lineOfText } from '#contract/stored-text.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Vb365Client } from './client.ts';
import { LicensedUserShape } from './shapes.ts';
import { parseTime } from './times.ts';

/** A user who has a license on a server. */
export interface ServerUser {
  readonly id: string;
  readonly name: string;
  /** The last backup; null: there is none. */
  readonly at: Ms | null;
  /** The server has licensed the user this month. */
  readonly isNew: boolean;
}

/** How old what is known of licenses is at least before it is read again. */
const AGE_MS: Ms = 60 * 60_000;
/** Rows of one statement. */
const BATCH_ROWS = 1_000;

/** Returns the users of an organization who have a license on its server. */
export async function readLicensedUsers(
  client: Vb365Client,
  key: string,
  now: Ms,
): Promise<readonly ServerUser[]> {
  const users: ServerUser[] = [];
  const path = `LicensedUsers?organizationId=${encodeURIComponent(key)}`;
  for await (const rows of client.readPages(path, LicensedUserShape))
    for (const { id, name, isBackedUp, lastBackupDate, licenseState, organizationId } of rows) {
      if ((organizationId ?? key) !== key) continue;
      const at = parseTime(lastBackupDate);
      users.push({
        id,
        name: cutText(lineOfText(name ?? '').trim(), LIMITS.nameChars).trim() || id,
        // Without a backup, the date is the first one that there is.
        at: isBackedUp === false || at === null || at <= 0 ? null : Math.min(at, now),
        isNew: licenseState === 'New',
      });
    }
  return users;
}

/** Whether the licensed users of an organization have to be read again. */
export async function areLicensesDue(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  now: Ms,
): Promise<boolean> {
  const at = await findReadAt({ sql: db, tenant }, organization);
  return at === null || now < at || now - at >= AGE_MS;
}

const findReadAt = async (
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  organization: OrganizationId,
): Promise<Ms | null> =>
  (
    await db
      .selectFrom('vb365_organization')
      .select('licenses_read_at')
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .executeTakeFirst()
  )?.licenses_read_at ?? null;

/**
 * Stores who has a license now. Those whom the first reading finds have had it before, unless the
 * server says that they are new. Users who are gone stay, for the days on which they counted.
 */
export async function storeLicensedUsers(
  tx: TenantTx,
  organization: OrganizationId,
  users: readonly ServerUser[],
  now: Ms,
): Promise<void> {
  const { sql: db, tenant } = tx;
  const isFirst = (await findReadAt(tx, organization)) === null;
  const stored = await db
    .selectFrom('vb365_licensed_user')
    .select(['id', 'name', 'last_at', 'gone_at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .execute();
  const known = new Map(stored.map((row) => [row.id, row]));
  const changed = users.flatMap(({ id, name, at, isNew }) => {
    const before = known.get(id);
    const lastAt = Math.max(at ?? 0, before?.last_at ?? 0);
    const isSame = before?.name === name && before.last_at === lastAt && before.gone_at === null;
    return lastAt === 0 || isSame ? [] : [{ id, name, at: lastAt, isAdded: isNew || !isFirst }];
  });
  for (let from = 0; from < changed.length; from += BATCH_ROWS)
    await db
      .insertInto('vb365_licensed_user')
      .values(
        changed.slice(from, from + BATCH_ROWS).map(({ id, name, at, isAdded }) => ({
          tenant_id: tenant,
          organization_id: organization,
          id,
          name,
          first_at: at,
          last_at: at,
          is_added: isAdded,
        })),
      )
      .onConflict((on) =>
        on.columns(['tenant_id', 'organization_id', 'id']).doUpdateSet((set) => ({
          name: set.ref('excluded.name'),
          last_at: set.ref('excluded.last_at'),
          gone_at: null,
        })),
      )
      .execute();
  const present = new Set(users.map(({ id }) => id));
  const gone = stored.filter((row) => row.gone_at === null && !present.has(row.id));
  for (let from = 0; from < gone.length; from += BATCH_ROWS)
    await db
      .updateTable('vb365_licensed_user')
      .set({ gone_at: now })
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where(
        'id',
        'in',
        gone.slice(from, from + BATCH_ROWS).map(({ id }) => id),
      )
      .execute();
  await db
    .updateTable('vb365_organization')
    .set({ licenses_read_at: now })
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .execute();
}
