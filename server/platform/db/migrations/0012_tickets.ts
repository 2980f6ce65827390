import { owned, type Migration } from './migration.ts';

const t = 'tenant_id uuid not null';

/**
 * Tickets and their problems, the connected ticketing system, pending changes for it, and the
 * mapping of its companies to ours.
 */
export const migration0012: Migration = {
  name: '0012',
  statements: [
    ...owned(
      'ticket',
      `${t}, id text not null, company_n bigint not null, number bigint not null, open bigint not null, made_at bigint not null, remote_id text, row json not null, primary key (tenant_id, id)`,
    ),
    'create unique index ticket_number on ticket (tenant_id, number)',
    'create index ticket_newest on ticket (tenant_id, open, number desc)',
    'create index ticket_of_company on ticket (tenant_id, company_n, number desc)',
    'create index ticket_of_remote on ticket (tenant_id, remote_id) where remote_id is not null',
    'alter table problem add column ticket_id text',
    'create index problem_of_ticket on problem (tenant_id, ticket_id) where ticket_id is not null',
    ...owned(
      'ticketing',
      `${t}, settings json not null, choices json not null, cursor bigint not null, poll_at bigint not null, polled_at bigint, tries int not null default 0, fault text,
      log_seq bigint not null, primary key (tenant_id)`,
    ),
    ...owned(
      'ticket_company',
      `${t}, company_n bigint not null, remote_id text not null, remote_name text not null, health text not null, checked_at bigint, primary key (tenant_id, company_n)`,
    ),
    ...owned(
      'ticket_work',
      `${t}, ticket_id text not null, version int not null default 1, parts json not null, tries int not null default 0, next_at bigint, held_until bigint not null default 0, fault text, primary key (tenant_id, ticket_id)`,
    ),
    'create index ticket_work_due on ticket_work (tenant_id, next_at) where next_at is not null',
  ],
};
