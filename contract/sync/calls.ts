import * as v from 'valibot';
import { MeSchema } from '../auth/current-user.ts';
import { BrandingSchema } from '../branding/branding.ts';
import type { PreferenceRow } from '../auth/preferences.ts';
import { call } from '../call.ts';
import { LoggedSchema } from '../events.ts';
import type { CauseRow, JobRow, KeyRow, ProblemRow } from '../runs/rows.ts';
import type { ShiftRow } from '../daily-checks/hand-over.ts';
import type { ViewRow } from '../daily-checks/saved-views.ts';
import { PROBLEM_KINDS, SOURCES } from '../runs/vocabulary.ts';
import type { CompanyRow } from '../users/rows.ts';

const whole = v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number));
const day = v.pipe(v.string(), v.isoDate());

/**
 * Rows are made by the fold from events that were checked at the gate; they are not checked field
 * by field again on their way out.
 */
const rowsOf = <R>() => v.custom<readonly R[]>((input) => Array.isArray(input));

export const LastSyncSchema = v.object({
  status: v.picklist(['SUCCEEDED', 'FAILED', 'NEVER']),
  at: v.nullable(v.number()),
  /**
   * `name`: of the key or the connection, `company`: the name of the one it belongs to. `id` for
   * who may open the page that changes it.
   */
  failed: v.array(
    v.object({
      entity: v.string(),
      at: v.number(),
      message: v.string(),
      kind: v.picklist(['key', 'connection']),
      id: v.nullable(v.string()),
      name: v.string(),
      company: v.nullable(v.string()),
    }),
  ),
  /**
   * One a tool that has keys in use: how many, how many of them failed, and when one was last
   * heard.
   */
  sources: v.array(
    v.object({
      source: v.picklist(SOURCES),
      keys: v.number(),
      failed: v.number(),
      at: v.nullable(v.number()),
    }),
  ),
});
export type LastSync = v.InferOutput<typeof LastSyncSchema>;

/**
 * The last sync as a device keeps it: it names what it has by `tag`, and `asOf` says which of two
 * is newer.
 */
export const SyncedSourcesSchema = v.object({
  ...LastSyncSchema.entries,
  tag: v.string(),
  asOf: v.number(),
});
export type SyncedSources = v.InferOutput<typeof SyncedSourcesSchema>;

/**
 * What a device needs before any run, in one answer: who am I, and the small tables as of `cursor`.
 * `days` says which days of runs there are in the window, newest first, with the tag of each day's
 * page. A device takes the days newest first and then the events after `cursor`: it may see a run
 * twice (a phantom), never miss one (SYNC-1).
 */
export const BootstrapSchema = v.object({
  protocol: v.number(),
  epoch: v.string(),
  cursor: v.number(),
  serverNow: v.number(),
  me: MeSchema,
  branding: BrandingSchema,
  windowFrom: day,
  days: v.array(v.object({ day, rows: v.number(), tag: v.string() })),
  people: v.array(v.object({ id: v.string(), name: v.string() })),
  companies: rowsOf<CompanyRow>(),
  jobs: rowsOf<JobRow>(),
  causes: rowsOf<CauseRow>(),
  problems: rowsOf<ProblemRow>(),
  keys: rowsOf<KeyRow>(),
  /** Own and shared, not removed. */
  views: rowsOf<ViewRow>(),
  /** The newest hand-overs, for those who see the whole provider. */
  shifts: rowsOf<ShiftRow>(),
  preferences: rowsOf<PreferenceRow>(),
  /** How sources synced last; null for who may not read it, and from servers of before. */
  sources: v.optional(v.nullable(SyncedSourcesSchema), null),
});
export type Bootstrap = v.InferOutput<typeof BootstrapSchema>;

/**
 * `cursor`: the place in the log that the answer reaches, also where none of the events is for this
 * user. `more`: ask again at once. `causes`: for who sees some companies those of which the events
 * speak, to be there before them: others' may have had them first, and what they had is not told.
 * `sources`: how sources synced last, where that has another tag than the one asked with.
 */
export const EventsSchema = v.object({
  epoch: v.string(),
  cursor: v.number(),
  head: v.number(),
  more: v.boolean(),
  events: v.array(LoggedSchema),
  causes: v.optional(
    v.array(v.object({ n: v.number(), template: v.string(), kind: v.picklist(PROBLEM_KINDS) })),
  ),
  sources: v.optional(SyncedSourcesSchema),
});
export type EventsPage = v.InferOutput<typeof EventsSchema>;

/**
 * Lines of the poke stream (`text/event-stream`, `data: <JSON>`). A poke carries no data: it says
 * that there is something to pull.
 */
export type Poke =
  | { readonly is: 'head'; readonly head: number; readonly epoch: string }
  | { readonly is: 'sources' } // a source synced, or failed to
  | { readonly is: 'scope' } // what you may see has changed: load anew
  | { readonly is: 'out' }; // the session is over

export const syncCalls = {
  bootstrap: call({
    method: 'GET',
    path: 'sync/bootstrap',
    summary: 'Who am I, and the small tables as of a cursor: of each what the user may read.',
    input: v.strictObject({ protocol: v.optional(whole) }),
    output: BootstrapSchema,
    gate: 'signed-in',
    failures: ['update-needed'],
    allowedBeforeSetup: true,
  }),
  runsOfDay: call({
    method: 'GET',
    path: 'sync/runs/{day}',
    summary:
      'The runs that started on a UTC day, as one or more pages of binary columns, newest first; each page is led by its length (u32, little-endian). Carries an ETag; a closed day is made once.',
    input: v.strictObject({ day }),
    output: 'bytes',
    gate: 'signed-in',
    failures: ['forbidden'],
  }),
  events: call({
    method: 'GET',
    path: 'sync/events',
    summary:
      'Events after a cursor, those that this user may see. Another epoch in the answer than the one asked with: the log or what the user may read has changed, load everything again.',
    input: v.strictObject({
      after: whole,
      epoch: v.string(),
      limit: v.optional(whole),
      protocol: v.optional(whole),
      sources: v.optional(v.pipe(v.string(), v.maxLength(64))),
    }),
    output: EventsSchema,
    gate: 'signed-in',
    failures: ['update-needed', 'conflict'],
    allowedBeforeSetup: true,
    apiKeyAllowed: 'monitoring.daily-checks',
  }),
  stream: call({
    method: 'GET',
    path: 'sync/stream',
    summary: 'A stream of pokes: there is something to pull.',
    input: v.strictObject({}),
    output: 'stream',
    gate: 'signed-in',
    failures: ['too-many'],
    allowedBeforeSetup: true,
  }),
  lastSync: call({
    method: 'GET',
    path: 'sync/last-sync',
    summary:
      'Whether every source was last heard without a fault, and which was not; empty for who may see neither the dashboard nor the sources.',
    input: v.strictObject({}),
    output: LastSyncSchema,
    gate: 'signed-in',
    failures: [],
    apiKeyAllowed: 'monitoring.dashboard',
  }),
} as const;

/** The protocol in headers of a command (OUT-3). */
export const COMMAND_HEADERS = {
  key: 'idempotency-key',
  device: 'daybook-device',
  order: 'daybook-order',
} as const;
