import type { Generated } from 'kysely';
import type {
  CollectionStatus,
  CollectorKind,
  Entity,
  SignInMethod,
} from '#contract/connections/connection.ts';
import type { CompanyN, KeyId, Ms, TenantId } from '#contract/ids.ts';
import type { JsonColumn } from './json-column.ts';

/** What a key stored on a day (UTC). */
export interface IngestUsageTable {
  readonly tenant_id: TenantId;
  readonly day: string;
  readonly key_id: KeyId;
  bytes: number;
  logs_dropped: number;
  refused_from: Ms | null;
  refused_to: Ms | null;
}

/**
 * A system whose results the server collects. `held_by`: the lease of the job that reads it now.
 * `held_until` is no longer used.
 */
export interface ConnectionTable {
  tenant_id: TenantId;
  id: string;
  kind: CollectorKind;
  name: string;
  address: string;
  company_n: CompanyN | null;
  sign_in: SignInMethod;
  username: string | null;
  sealed: string;
  certificate: string | null;
  every_sec: number;
  enabled: boolean;
  made_at: Ms;
  changed_at: Ms;
  held_by: Generated<string | null>;
  held_until: Generated<Ms>;
}

/** How far an entity of a connection was read. `fails`: consecutive failures. */
export interface CollectionTable {
  tenant_id: TenantId;
  connection_id: string;
  entity: Entity;
  status: CollectionStatus;
  started_at: Ms | null;
  succeeded_at: Ms | null;
  next_at: Ms;
  read_rows: Generated<number>;
  unlinked: Generated<number>;
  fails: Generated<number>;
  error: string | null;
  error_at: Ms | null;
  cursor: JsonColumn<Readonly<Record<string, number>>>;
}

export interface CollectedTable {
  tenant_id: TenantId;
  connection_id: string;
  entity: Entity;
  uid: string;
  company_n: CompanyN | null;
  name: string;
  row: JsonColumn<Readonly<Record<string, unknown>>>;
  seen_at: Ms;
}

/** The licenses that a connection last reported in a month. */
export interface LicenceMonthTable extends Omit<CollectedTable, 'entity'> {
  month: string;
}
