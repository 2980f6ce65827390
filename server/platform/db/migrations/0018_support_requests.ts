import { owned, type Migration } from './migration.ts';

/**
 * Requests to support (SUPPORT-2). `mail_id`: the message in `outgoing` until its outcome is known.
 */
export const migration0018: Migration = {
  name: '0018',
  statements: [
    ...owned(
      'support_request',
      'tenant_id uuid not null, id uuid not null, user_id uuid not null, at bigint not null, subject text not null, text text not null, state text not null, fault text, mail_id uuid not null, primary key (tenant_id, id)',
    ),
    'create index support_request_of on support_request (tenant_id, user_id, at)',
  ],
};
