import * as v from 'valibot';
import type {
  ApiKeyId,
  BackupJobId,
  BackupRepositoryId,
  BackupSessionId,
  DownloadId,
  ExclusionId,
  ExplorerId,
  LegalHoldId,
  OrganizationId,
  TaskId,
  TenantId,
  UserId,
} from './ids.ts';
import { schemaMessages } from './schemas.messages.en.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * An id of any form. Text that isn't one of our ids counts as an unknown id, not as bad input, so
 * the response is the same 404.
 */
export const anyId: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.maxLength(64),
  v.transform((id) => (UUID.test(id) ? id.toLowerCase() : NOBODY)),
);
export const anyTenantId = anyId as v.GenericSchema<string, TenantId>;
export const anyUserId = anyId as v.GenericSchema<string, UserId>;
export const anyApiKeyId = anyId as v.GenericSchema<string, ApiKeyId>;
export const anyOrganizationId = anyId as v.GenericSchema<string, OrganizationId>;
export const anyLegalHoldId = anyId as v.GenericSchema<string, LegalHoldId>;
export const anyExclusionId = anyId as v.GenericSchema<string, ExclusionId>;
export const anyRepositoryId = anyId as v.GenericSchema<string, BackupRepositoryId>;
export const anyJobId = anyId as v.GenericSchema<string, BackupJobId>;
export const anyBackupSessionId = anyId as v.GenericSchema<string, BackupSessionId>;
export const anyExplorerId = anyId as v.GenericSchema<string, ExplorerId>;
export const anyTaskId = anyId as v.GenericSchema<string, TaskId>;
export const anyDownloadId = anyId as v.GenericSchema<string, DownloadId>;

const whole = (max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[1-9]\d{0,5}$/, () => schemaMessages.wholeFromOne),
    v.transform(Number),
    v.maxValue(max),
  );
/** A moment in a query: milliseconds, or the API's own format `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export const moment = v.pipe(
  v.string(),
  v.regex(
    /^(\d{1,15}|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?)$/,
    () => schemaMessages.moment,
  ),
  v.transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text))),
  v.finite(),
);

/** Search text, case-insensitive. */
export const words = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(100)));
/** Page numbers start at 1. */
export const PAGE = { page: v.optional(whole(100_000)), pageSize: v.optional(whole(200)) };
export const PAGE_SIZE = 10;
/** The schema of a page: its rows, and the total number of rows. */
export const getPage = <S extends v.GenericSchema>(row: S) =>
  v.object({ rows: v.array(row), count: v.number(), page: v.number(), pageSize: v.number() });
