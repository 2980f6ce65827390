import type { Generated } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { JsonColumn } from './json-column.ts';

/**
 * A background job. `key` tells jobs of one type and provider apart; it is empty for recurring jobs.
 * `due_at` null: it waits until something schedules it. `lease_owner`: the server that runs it now,
 * until `lease_until` unless it renews the lease. `attempts`: how often it began since it last
 * succeeded. `place`: the proxy or pool that it is for, as `getPlace` writes it. `needs_folder`: its
 * repository is in the folder of the servers. `began_at`: when it was last leased.
 */
export interface BackgroundJobTable {
  tenant_id: TenantId;
  type: string;
  key: string;
  due_at: Ms | null;
  lease_owner: Generated<string | null>;
  lease_until: Generated<Ms>;
  attempts: Generated<number>;
  last_error: Generated<string | null>;
  payload: JsonColumn<unknown>;
  repository: Generated<string | null>;
  organization: Generated<string | null>;
  place: Generated<string | null>;
  needs_folder: Generated<boolean>;
  began_at: Generated<Ms | null>;
}

/**
 * A process that works for repositories and isn't a server. `owner` names its presence lock and its
 * leases. `has_folder`: it has the folder of the servers' repositories.
 */
export interface ProxyProcessTable {
  name: string;
  owner: string;
  host_name: string;
  version: string;
  has_folder: boolean;
  state: 'online' | 'draining' | 'left';
  began_at: Ms;
  seen_at: Ms;
}

/** What the rows of proxies say, for the runner, which knows no provider. */
export interface ProxyMemberTable {
  tenant_id: TenantId;
  name: string;
  pool: string | null;
  maintenance: boolean;
}
