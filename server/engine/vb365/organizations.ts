import * as v from 'valibot';
import { type OrganizationRow, REGIONS } from '#contract/backup/organizations.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, lineOfText } from '#contract/stored-text.ts';
import type { Vb365Client } from './client.ts';
import { OrganizationShape, type Vb365Organization } from './shapes.ts';

/** What a server says of an organization, as an organization's row has it. */
export type OrganizationFacts = Pick<
  OrganizationRow,
  | 'officeName'
  | 'directoryId'
  | 'region'
  | 'authType'
  | 'isExchangeOnline'
  | 'isSharePointOnline'
  | 'isTeamsOnline'
  | 'isTeamsChatsOnline'
  | 'applicationId'
>;
export interface FoundOrganization {
  /** Its id on the server. */
  readonly key: string;
  readonly name: string;
  /** Domain, name and ids, by which a company can be linked with it. */
  readonly aliases: readonly string[];
  readonly facts: OrganizationFacts;
}

/** Lists the server's organizations of Microsoft 365. Those with only local servers are left out. */
export async function readOrganizations(client: Vb365Client): Promise<FoundOrganization[]> {
  const found: FoundOrganization[] = [];
  for await (const rows of client.readPages('Organizations', OrganizationShape))
    found.push(...rows.filter(({ type }) => type !== 'OnPremises').map(toFound));
  return found;
}

function toFound(row: Vb365Organization): FoundOrganization {
  const domain = toName(row.name) ?? toName(row.officeName) ?? row.id;
  const settings = [row.exchangeOnlineSettings, row.sharePointOnlineSettings];
  const applicationId = settings
    .map((one) => toUuid(one?.applicationId))
    .find((one) => one !== null);
  const hasCertificate = settings.some((one) => Boolean(one?.applicationCertificateThumbprint));
  const isTeamsOnline = row.isTeamsOnline ?? false;
  return {
    key: row.id,
    name: toName(row.officeName) ?? domain,
    aliases: [row.id, row.name, row.officeName, row.msid].flatMap((one) => one || []),
    facts: {
      officeName: domain,
      directoryId: toUuid(row.msid),
      region:
        REGIONS.find((one) => one === row.region) ?? OTHER_REGIONS[row.region ?? ''] ?? REGIONS[0],
      authType: hasCertificate ? 'modern' : applicationId === undefined ? 'basic' : 'modernLegacy',
      isExchangeOnline: row.isExchangeOnline ?? false,
      isSharePointOnline: row.isSharePointOnline ?? false,
      isTeamsOnline,
      isTeamsChatsOnline: isTeamsOnline && (row.isTeamsChatsOnline ?? false),
      applicationId: applicationId ?? null,
    },
  };
}

/** By the server's words. The former cloud of Germany has become a part of the worldwide one. */
const OTHER_REGIONS: Readonly<Record<string, OrganizationRow['region']>> = {
  USGovernment: 'USGovernmentGCCHigh',
  USDefence: 'USGovernmentDoD',
};

/** The server's word for a region. */
export const getServerRegion = (region: OrganizationRow['region']): string =>
  Object.entries(OTHER_REGIONS).find(([, one]) => one === region)?.[0] ?? region;

/** Returns a name as a row can have it; null if nothing is left of it. */
export const toName = (value: string | null | undefined): string | null =>
  cutText(lineOfText(value ?? '').trim(), LIMITS.nameChars).trim() || null;

const toUuid = (value: string | null | undefined): string | null =>
  v.is(v.pipe(v.string(), v.uuid()), value) ? value : null;
