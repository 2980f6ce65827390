import type { Generated } from 'kysely';
import type { Bytes, CompanyN, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { SentOut } from '#contract/reports/calls.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import type { JsonColumn } from './json-column.ts';

/** `next_at`: the next due time; null if disabled. */
export interface ReportSettingTable {
  tenant_id: TenantId;
  id: string;
  owner_id: UserId;
  fields: JsonColumn<ReportFields>;
  next_at: Ms | null;
  made_at: Ms;
  changed_at: Ms;
}

/**
 * A report that was due, or that a user sent. `sees`: the companies whose results are in it; null:
 * all companies, or providers. `held_by`: the lease of the job that makes it, until `held_until`.
 */
export interface ReportSentTable {
  tenant_id: TenantId;
  id: string;
  setting_id: string;
  owner_id: UserId;
  by_id: UserId | null;
  fields: JsonColumn<ReportFields>;
  state: SentOut['state'];
  made_at: Ms;
  due_at: Ms | null;
  done_at: Ms | null;
  held_until: Ms | null;
  held_by: Generated<string | null>;
  tries: Generated<number>;
  sees: JsonColumn<readonly CompanyN[] | null>;
  told: JsonColumn<Pick<SentOut, 'from' | 'to' | 'rows' | 'fault'>>;
  mails: JsonColumn<readonly (Omit<SentOut['mails'][number], 'error'> & { readonly id: string })[]>;
  file_id: string | null;
  data_id: string | null;
}

/** A file that is attached to a mail or can be opened again, until `until`. Sealed as base64. */
export interface StoredFileTable {
  tenant_id: TenantId;
  id: string;
  name: string;
  type: string;
  bytes: Bytes;
  sealed: string;
  made_at: Ms;
  until: Ms;
}
