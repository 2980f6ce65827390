import { isSameName } from '#contract/backup/same-name.ts';
import type { CompanyN, OrganizationId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText } from '#contract/stored-text.ts';
import type { FoundOrganization } from '#server/engine/public/veeam-import.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { isRowVisible } from './lookup.ts';
import { backupMessages as t } from './messages.en.ts';

/** What becomes of an organization of a server. `reason`: why it can't be imported. */
export interface PlannedOrganization {
  readonly found: FoundOrganization;
  readonly company: CompanyN | null;
  readonly name: string;
  readonly reason: string | null;
  /** The organization that it was imported as, if the user sees it. */
  readonly importedAs: OrganizationId | null;
}

/**
 * Decides which organizations of a server are imported, and for which company: the one that is
 * linked with it by its domain or id, else the chosen one. Whose a tenant is stays hidden from users
 * who don't see that company (G72).
 */
export async function planImport(
  tx: TenantTx,
  session: Principal,
  {
    address,
    found,
    chosen,
  }: {
    readonly address: string;
    readonly found: readonly FoundOrganization[];
    readonly chosen: CompanyN | null;
  },
): Promise<PlannedOrganization[]> {
  const known = (await tx.all('organization')).filter(({ removedAt }) => removedAt === null);
  const links = await loadLinks(tx);
  const imported = await loadImported(tx, address);
  const names = known.filter((one) => isRowVisible(session, one)).map(({ name }) => name);
  let free = LIMITS.organizations - known.length;

  return found.map((one) => {
    const { directoryId, officeName } = one.facts;
    const linked = one.aliases
      .map((alias) => links.get(alias.toLowerCase()))
      .find((company) => company !== undefined);
    const company = linked ?? chosen;
    const isHidden = linked !== undefined && !isRowVisible(session, { company: linked });
    const importedAs = imported.get(one.key);
    const same = known.find(
      (other) =>
        other.id === importedAs ||
        (directoryId !== null && other.directoryId === directoryId) ||
        other.officeName.toLowerCase() === officeName.toLowerCase(),
    );
    const refused = (reason: string, as: OrganizationId | null = null): PlannedOrganization => ({
      found: one,
      company: isHidden ? null : company,
      name: one.name,
      reason,
      importedAs: as,
    });
    if (same && !isRowVisible(session, same)) return refused(t.tenantTaken);
    if (same && same.id === importedAs) return refused(t.alreadyImported, importedAs);
    if (same) return refused(t.tenantExists({ name: same.name }));
    if (isHidden) return refused(t.tenantTaken);
    if (company === null) return refused(t.noCompany);
    const name = [one.name, withDomain(one)].find(
      (text) => !names.some((taken) => isSameName(taken, text)),
    );
    if (name === undefined) return refused(t.nameTaken);
    if (free <= 0) return refused(t.organizationsFull({ max: LIMITS.organizations }));
    free -= 1;
    names.push(name);
    return { found: one, company, name, reason: null, importedAs: null };
  });
}

const withDomain = ({ name, facts: { officeName } }: FoundOrganization): string =>
  `${cutText(name, LIMITS.nameChars - officeName.length - 3)} (${officeName})`.slice(
    -LIMITS.nameChars,
  );

/** The companies that are linked with an organization, by its domain or id. */
async function loadLinks(tx: TenantTx): Promise<ReadonlyMap<string, CompanyN>> {
  return new Map(
    (await tx.all('company')).flatMap(({ n, deletedAt, applications }) =>
      deletedAt !== undefined || applications === undefined
        ? []
        : applications.office365.organizations.flatMap(({ id }) =>
            id === null ? [] : [[id.toLowerCase(), n] as const],
          ),
    ),
  );
}

/** The organizations that were imported from a server, by their ids there. */
async function loadImported(
  { sql: db, tenant }: TenantTx,
  address: string,
): Promise<ReadonlyMap<string, OrganizationId>> {
  const rows = await db
    .selectFrom('vb365_organization as o')
    .innerJoin('vb365_server as s', (join) =>
      join.onRef('s.tenant_id', '=', 'o.tenant_id').onRef('s.id', '=', 'o.server_id'),
    )
    .select(['o.server_key', 'o.organization_id'])
    .where('o.tenant_id', '=', tenant)
    .where('s.address', '=', address)
    .execute();
  return new Map(rows.map((row) => [row.server_key, row.organization_id]));
}
