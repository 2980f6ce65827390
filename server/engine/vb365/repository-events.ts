import { isDeepStrictEqual } from 'node:util';
import { type BackupRepositoryRow, OTHER_SERVER } from '#contract/backup/repositories.ts';
import { toShortPeriod, toYears } from '#contract/backup/server-repositories.ts';
import type {
  PendingServerRetention,
  ServerRepository,
} from '#contract/engine/server-repositories.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, OrganizationId } from '#contract/ids.ts';

/** A repository of a server, and a shorter retention that it gets later. */
export interface FoundRepository extends ServerRepository {
  readonly shortened: PendingServerRetention | null;
}
interface Owner {
  readonly id: OrganizationId;
  readonly company: CompanyN;
}

export const getCreated = ({ id: organization, company }: Owner, row: FoundRepository): NewEvent =>
  about(company, row, {
    type: 'backuprepository.created@1',
    data: {
      id: row.id,
      company,
      organization,
      target: OTHER_SERVER,
      retentionType: row.retentionType,
      ...toFields(row),
    },
  });

export const getUpdated = ({ company }: Pick<Owner, 'company'>, row: FoundRepository): NewEvent =>
  about(company, row, {
    type: 'backuprepository.updated@1',
    data: { id: row.id, ...toFields(row) },
  });

/** Whether a row is already what the server has. */
export function isSameRepository(row: BackupRepositoryRow, found: FoundRepository): boolean {
  const { name, description, retentionPolicy, period, shortened } = toFields(found);
  return isDeepStrictEqual(
    [row.name, row.description, row.retentionPolicy, row.period ?? null, row.shortened],
    [name, description, retentionPolicy, period, shortened],
  );
}

const about = (company: CompanyN, { id }: FoundRepository, event: NewEvent['event']): NewEvent => ({
  event,
  company,
  entity: `backuprepository:${id}`,
});

const toFields = ({ name, description, retention, shortened }: FoundRepository) => ({
  name,
  description,
  passwordDescription: '',
  retentionPolicy: toYears(retention),
  period: toShortPeriod(retention),
  shortened: shortened && {
    retentionPolicy: toYears(shortened.retention),
    period: toShortPeriod(shortened.retention),
    appliesAt: shortened.appliesAt,
  },
  proxy: null,
  deletesAt: null,
});
