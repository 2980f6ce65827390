import type { Generated } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { Json } from './json-column.ts';

/**
 * A background job. `key` tells jobs of one type and provider apart; it is empty for recurring jobs.
 * `due_at` null: it waits until something schedules it. `lease_owner`: the server that runs it now,
 * until `lease_until` unless it renews the lease. `attempts`: how often it began since it last
 * succeeded.
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
  payload: Json<unknown>;
}
