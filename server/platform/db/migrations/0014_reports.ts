import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null, id uuid not null';

/** Scheduled reports, sent reports, and their files. */
export const migration0014: Migration = {
  name: '0014',
  statements: [
    ...owned(
      'report_setting',
      `${t}, owner_id uuid not null, fields json not null, next_at bigint, made_at bigint not null, changed_at bigint not null, primary key (tenant_id, id)`,
    ),
    'create index report_setting_due on report_setting (tenant_id, next_at) where next_at is not null',
    ...owned(
      'report_sent',
      `${t}, setting_id uuid not null, owner_id uuid not null, by_id uuid, fields json not null, state text not null, made_at bigint not null, due_at bigint, done_at bigint,
      held_until bigint, tries int not null default 0, sees json not null, told json not null, mails json not null, file_id uuid, data_id uuid, primary key (tenant_id, id)`,
    ),
    // Each due time of a report is sent once, even with several servers.
    'create unique index report_sent_due on report_sent (tenant_id, setting_id, due_at) where due_at is not null',
    'create index report_sent_at on report_sent (tenant_id, made_at)',
    `create index report_sent_open on report_sent (tenant_id, state) where state in ('waiting', 'making', 'sending')`,
    ...owned(
      'kept_file',
      `${t}, name text not null, type text not null, bytes bigint not null, sealed text not null, made_at bigint not null, until bigint not null, primary key (tenant_id, id)`,
    ),
    'create index kept_file_over on kept_file (tenant_id, until)',
  ],
};
