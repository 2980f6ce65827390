import * as v from 'valibot';
import { RoleSchema } from '../role-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyTenantId, moment, words } from '../paging.ts';

const count = v.number();
/**
 * The engine of Microsoft 365 backup: objects of sessions that are queued, in work, and waiting for
 * Microsoft's limits, and blobs that the last verification found damaged.
 */
const BackupHealthSchema = v.object({
  queued: count,
  running: count,
  waiting: count,
  damaged: count,
});
export type BackupHealth = v.InferOutput<typeof BackupHealthSchema>;
/** Subscriptions to Microsoft 365 backup. `unpaid`: a payment failed; `stopped`: so backups stopped. */
const SubscriptionFiguresSchema = v.object({
  active: count,
  pending: count,
  unpaid: count,
  stopped: count,
});
export type SubscriptionFigures = v.InferOutput<typeof SubscriptionFiguresSchema>;
/** `checkedAt`: when the server last checked the log against its hashes; `damagedParts`: it found these. */
const LogHealthSchema = v.object({ checkedAt: v.nullable(v.number()), damagedParts: count });
/**
 * Current figures of one provider for the administration page. `ingest`: number of results, bytes
 * stored today (UTC) and the limit, number of dropped logs, and when results were last refused.
 * `sync`: number of sources in use, those whose last request was invalid, and when one last sent
 * data. Servers of the version before have neither `log`, `backup` nor `subscriptions`.
 */
const OverviewSchema = v.object({
  _id: v.string(),
  name: v.string(),
  hosts: v.array(v.string()),
  own: v.boolean(),
  users: v.array(v.object({ role: RoleSchema, users: count })),
  active: count,
  signedIn: count,
  companies: count,
  jobs: count,
  ingest: v.object({
    hour: count,
    day: count,
    bytes: count,
    limitBytes: count,
    logsDropped: count,
    refusedAt: v.nullable(v.number()),
  }),
  sync: v.object({
    sources: count,
    failed: v.array(v.object({ entity: v.string(), at: v.number(), message: v.string() })),
    at: v.nullable(v.number()),
  }),
  outgoing: v.object({ waiting: count, failed: count, oldest: v.nullable(v.number()) }),
  quarantine: count,
  events: count,
  log: v.optional(LogHealthSchema),
  backup: v.optional(BackupHealthSchema),
  subscriptions: v.optional(SubscriptionFiguresSchema),
});
/**
 * The disk of the embedded database, for the top-level provider. `low`: only sign-ins and similar
 * data are stored; `full`: nothing is. `flushes`: changes are on the disk before they are confirmed;
 * if not, a power cut may lose the last ones.
 */
const StorageSchema = v.object({
  state: v.picklist(['ok', 'low', 'full']),
  freeBytes: count,
  totalBytes: count,
  floorBytes: count,
  flushes: v.boolean(),
});
export type StorageOverview = v.InferOutput<typeof StorageSchema>;
export type ProviderOverview = v.InferOutput<typeof OverviewSchema>;

/** `acting`: the former name of `isImpersonated`, until the next version. */
const EventSchema = v.object({
  seq: v.number(),
  at: v.number(),
  type: v.string(),
  entity: v.string(),
  company: v.nullable(v.string()),
  actor: v.string(),
  subject: v.nullable(v.string()),
  isImpersonated: v.boolean(),
  acting: v.boolean(),
  data: v.string(),
});
export type EventListed = v.InferOutput<typeof EventSchema>;

const seq = v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/), v.transform(Number));
/**
 * `provider`: defaults to the caller's own. `type`: a prefix of event types, such as `problem.`.
 * `actor`: a user's name or id, `source` or `clock`. `text`: searched in type, entity and data.
 */
const QUERY = {
  provider: v.optional(anyTenantId),
  type: v.optional(v.pipe(v.string(), v.maxLength(64))),
  entity: v.optional(v.pipe(v.string(), v.maxLength(100))),
  actor: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.nameChars))),
  company: v.optional(seq),
  from: v.optional(moment),
  to: v.optional(moment),
  text: words,
};

export const adminCalls = {
  getAdminOverview: call({
    method: 'GET',
    path: 'admin/overview',
    summary: "Returns figures about the caller's own provider and those below it.",
    input: v.strictObject({}),
    output: v.object({
      at: v.number(),
      providers: v.array(OverviewSchema),
      storage: v.nullable(StorageSchema),
    }),
    gate: 'admin.dashboard',
    failures: [],
  }),
  listAdminEvents: call({
    method: 'GET',
    path: 'admin/events',
    summary:
      'Lists the events of the log, newest first, a hundred at a time. `before` continues after the last one. Events up to the number `archived` are only in the archive; `reachesArchive`: the period begins there.',
    input: v.strictObject({ ...QUERY, before: v.optional(seq) }),
    output: v.object({
      events: v.array(EventSchema),
      next: v.nullable(v.number()),
      archived: v.number(),
      reachesArchive: v.boolean(),
      types: v.array(v.string()),
    }),
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
  exportAdminEvents: call({
    method: 'GET',
    path: 'admin/events/export',
    summary: 'Exports the same events as a CSV file, at most 50,000.',
    input: v.strictObject(QUERY),
    output: 'bytes',
    gate: 'admin.dashboard',
    failures: ['not-found'],
  }),
} as const;
