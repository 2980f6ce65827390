import { owned, type Migration } from './migration.ts';

/**
 * Notifications and webhooks (NOTIFY-1 to NOTIFY-6). `notify_seen`: events up to this one are
 * notified; `notify_standing`: lasting conditions that were already notified.
 * `push_device.session_id`: the device's session. A server leases a webhook while it delivers.
 */
export const migration0022: Migration = {
  name: '0022',
  statements: [
    ...owned(
      'notify_setting',
      'tenant_id uuid not null, user_id uuid not null, settings json not null, next_at bigint, last_at bigint, primary key (tenant_id, user_id)',
    ),
    'create index notify_setting_due on notify_setting (tenant_id, next_at) where next_at is not null',
    ...owned(
      'notify_seen',
      'tenant_id uuid not null primary key, log_seq bigint not null, stood_at bigint not null',
    ),
    ...owned(
      'notify_standing',
      'tenant_id uuid not null, category text not null, subject text not null, since bigint not null, primary key (tenant_id, category, subject)',
    ),
    ...owned(
      'push_device',
      'tenant_id uuid not null, id uuid not null, user_id uuid not null, session_id uuid not null, endpoint_hash text not null, sealed text not null, agent text not null, made_at bigint not null, seen_at bigint not null, last_at bigint, fault text, primary key (tenant_id, id), unique (tenant_id, endpoint_hash)',
    ),
    'create index push_device_of on push_device (tenant_id, user_id)',
    ...owned(
      'push_waiting',
      'tenant_id uuid not null, device_id uuid not null, category text not null, facts integer not null, company_n bigint, link text not null, at bigint not null, next_at bigint not null, tries integer not null default 0, primary key (tenant_id, device_id, category)',
    ),
    ...owned(
      'webhook',
      'tenant_id uuid not null, id uuid not null, fields json not null, sealed text not null, sealed_before text, before_until bigint not null default 0, made_by uuid not null, made_at bigint not null, changed_at bigint not null, failing_since bigint, stopped_at bigint, held_until bigint not null default 0, primary key (tenant_id, id)',
    ),
    ...owned(
      'webhook_delivery',
      'tenant_id uuid not null, id uuid not null, webhook_id uuid not null, category text not null, facts integer not null, body text not null, state text not null, made_at bigint not null, done_at bigint, next_at bigint, tries integer not null default 0, code integer, fault text, primary key (tenant_id, id)',
    ),
    'create index webhook_delivery_of on webhook_delivery (tenant_id, webhook_id, made_at)',
    'create index webhook_delivery_due on webhook_delivery (tenant_id, next_at) where next_at is not null',
  ],
};
