import type { Generated } from 'kysely';
import type { CompanyN, Ms, TenantId, UserId } from '#contract/ids.ts';
import type {
  DeliveryState,
  NotifyCategory,
  NotifySettings,
  WebhookFields,
} from '#contract/notifications/notifications.ts';
import type { JsonColumn } from './json-column.ts';

/** A user's notification settings. `next_at`: the next digest; null if there is none. */
export interface NotifySettingTable {
  tenant_id: TenantId;
  user_id: UserId;
  settings: JsonColumn<NotifySettings>;
  next_at: Ms | null;
  last_at: Ms | null;
}

/** Events are notified up to `log_seq`. `stood_at`: when lasting conditions were last checked. */
export interface NotifySeenTable {
  tenant_id: TenantId;
  log_seq: number;
  stood_at: Ms;
}
export interface NotifyStateTable {
  tenant_id: TenantId;
  category: NotifyCategory;
  subject: string;
  since: Ms;
}

/** A user's browser that gets web push. `sealed`: its subscription. */
export interface PushDeviceTable {
  tenant_id: TenantId;
  id: string;
  user_id: UserId;
  session_id: string;
  endpoint_hash: string;
  sealed: string;
  agent: string;
  made_at: Ms;
  seen_at: Ms;
  last_at: Ms | null;
  fault: string | null;
}
/**
 * A pending push of one category to a device, merged into one. `company_n`: set if it is about one
 * company only. `held_by`: the lease of the job that sends it now.
 */
export interface PushWaitingTable {
  tenant_id: TenantId;
  device_id: string;
  category: NotifyCategory;
  facts: number;
  company_n: CompanyN | null;
  link: string;
  at: Ms;
  next_at: Ms;
  tries: Generated<number>;
  held_by: Generated<string | null>;
}

/**
 * `sealed_before`: the former secret, valid until `before_until`. `stopped_at`: when it was
 * disabled because it had failed for too long. `held_by`: the lease of the job that delivers to it
 * now.
 */
export interface WebhookTable {
  tenant_id: TenantId;
  id: string;
  fields: JsonColumn<WebhookFields>;
  sealed: string;
  sealed_before: string | null;
  before_until: Generated<Ms>;
  made_by: UserId;
  made_at: Ms;
  changed_at: Ms;
  failing_since: Ms | null;
  stopped_at: Ms | null;
  held_until: Generated<Ms>;
  held_by: Generated<string | null>;
}

/** `next_at` null: no more attempts. */
export interface WebhookDeliveryTable {
  tenant_id: TenantId;
  id: string;
  webhook_id: string;
  category: NotifyCategory | 'test';
  facts: number;
  body: string;
  state: DeliveryState;
  made_at: Ms;
  done_at: Ms | null;
  next_at: Ms | null;
  tries: Generated<number>;
  code: number | null;
  fault: string | null;
}
