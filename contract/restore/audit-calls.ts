import * as v from 'valibot';
import { CURSOR, listPageSchema } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { anyExplorerId, anyOrganizationId, anyUserId, moment } from '../paging.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { ExplorerId, OrganizationId } from '../ids.ts';

/** What somebody did with backed-up data, in the order of the filter. */
export const AUDIT_ACTIONS = [
  'session',
  'list',
  'search',
  'size',
  'preview',
  'compare',
  'restore',
  'download',
  'role',
  'rights',
  'import',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const QUERY = {
  organizationId: v.optional(anyOrganizationId),
  action: v.optional(v.picklist(AUDIT_ACTIONS)),
  /** Who did it, also as somebody else. */
  userId: v.optional(anyUserId),
  /** In this restore session. */
  sessionId: v.optional(anyExplorerId),
  from: v.optional(moment),
  to: v.optional(moment),
};
/** Null: it no longer exists, or the caller may not see it. */
const user = v.nullable(v.object({ _id: v.string(), username: v.string(), name: v.string() }));

/**
 * `object`: the mailbox, drive, site or team. `item`: the one item or folder that it was about. `count`: rows that were answered, or items that were
 * chosen. `actedAs`: the user as whom an impersonating one did it.
 */
export const auditEntryOut = v.object({
  _id: v.string(),
  at: v.number(),
  action: v.picklist(AUDIT_ACTIONS),
  words: v.string(),
  organizationId: storedIdSchema<OrganizationId>(),
  organizationName: v.string(),
  object: v.nullable(v.string()),
  item: v.nullable(v.string()),
  count: v.nullable(v.number()),
  user,
  actedAs: user,
  /** No user did it: work of the server ended. */
  isAutomatic: v.boolean(),
  isOperator: v.boolean(),
  ip: v.string(),
  agent: v.string(),
  sessionId: v.nullable(storedIdSchema<ExplorerId>()),
});

const gate = 'o365.restorePortal';

/** Who looked at, searched, restored and downloaded backed-up data (RES-55). */
export const restoreAuditCalls = {
  listRestoreAudit: call({
    method: 'GET',
    path: 'o365/restore/audit',
    summary: 'Lists who looked at, restored and downloaded backed-up data, newest first.',
    input: v.strictObject({ ...QUERY, ...CURSOR }),
    output: v.object({
      ...listPageSchema(auditEntryOut).entries,
      /** Who is in the audit of these organizations. */
      users: v.array(v.object({ _id: v.string(), name: v.string() })),
      /** For how many years entries are stored; null: forever. */
      retentionYears: v.nullable(v.number()),
    }),
    gate,
    failures: ['bad-input'],
  }),
  exportRestoreAudit: call({
    method: 'GET',
    path: 'o365/restore/audit/export',
    summary: 'Exports the same entries as a CSV file. More than 50,000 are refused.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate,
    failures: ['bad-input'],
  }),
} as const;
