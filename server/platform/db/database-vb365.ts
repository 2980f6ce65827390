import type { Generated } from 'kysely';
import type { Id } from '#contract/engine/engine.ts';
import type { Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { Filled } from './json-column.ts';

/** Servers of Veeam Backup for Microsoft 365 and what was imported from them (migration 0053). */
export interface Vb365Tables {
  /** `problem`: why it was not read the last time; `failures`: how often in a row. */
  vb365_server: {
    tenant_id: TenantId;
    id: Id;
    address: string;
    certificate: string | null;
    username: string;
    sealed: string;
    version: string | null;
    made_at: Ms;
    changed_at: Ms;
    read_at: Ms | null;
    failures: Generated<number>;
    problem: string | null;
  };
  /** `server_key`: its id on the server. */
  vb365_organization: {
    tenant_id: TenantId;
    organization_id: Id;
    server_id: Id;
    server_key: string;
  };
  vb365_object: {
    tenant_id: TenantId;
    organization_id: Id;
    kind: 'job' | 'repository';
    id: Id;
    server_key: string;
    detail: Filled<Vb365Detail>;
    /** When a user last changed it on the server. What was read before is out of date. */
    commanded_at: Generated<Ms>;
  };
}

/** Of a job: `version` of its items. Of a repository: what the organization uses. */
export interface Vb365Detail {
  readonly version?: number;
  readonly usedBytes?: Bytes;
}
