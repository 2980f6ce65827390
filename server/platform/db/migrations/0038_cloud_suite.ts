import { owned, type Migration } from './migration.ts';

/**
 * Organizations, repositories, proxies and jobs of the cloud suite, and restore sessions of users.
 * `backup_job_recipient`: external addresses that a job notifies, which the log doesn't contain.
 */
export const migration0038: Migration = {
  name: '0038',
  statements: [
    ...owned(
      'organization',
      'tenant_id uuid not null, id text not null, company_n bigint not null, row json not null, primary key (tenant_id, id)',
    ),
    ...owned(
      'backup_repository',
      'tenant_id uuid not null, id text not null, company_n bigint not null, row json not null, primary key (tenant_id, id)',
    ),
    ...owned(
      'backup_proxy',
      'tenant_id uuid not null, id text not null, row json not null, primary key (tenant_id, id)',
    ),
    ...owned(
      'backup_job',
      'tenant_id uuid not null, id text not null, company_n bigint not null, organization_id text not null, repository_id text not null, row json not null, primary key (tenant_id, id)',
    ),
    'create index backup_job_of_organization on backup_job (tenant_id, organization_id)',
    'create index backup_job_of_repository on backup_job (tenant_id, repository_id)',
    ...owned(
      'restore_session',
      'tenant_id uuid not null, id text not null, user_id text not null, row json not null, primary key (tenant_id, id)',
    ),
    ...owned(
      'backup_job_recipient',
      'tenant_id uuid not null, job_id uuid not null, address text not null, primary key (tenant_id, job_id, address)',
    ),
    'create index restore_session_of_user on restore_session (tenant_id, user_id)',
  ],
};
