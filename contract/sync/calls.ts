import type { UserId } from '../ids.ts';
import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
import { MeSchema } from '../auth/current-user.ts';
import { BrandingSchema } from '../branding/branding.ts';
import { call } from '../call.ts';
import { LoggedSchema } from '../events.ts';
import { FORMER_TYPES } from '../former-events.ts';
import { PROBLEM_KINDS, SOURCES } from '../runs/vocabulary.ts';
import { REPLICATED_TABLES, TABLES } from '../tables.ts';
import type { ReplicatedAs, ReplicatedTable, Tables } from '../tables.ts';

const whole = v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number));
const day = v.pipe(v.string(), v.isoDate());

/**
 * The rows of each replicated table. The fold creates them from events that the log has already
 * validated, so the server doesn't validate its answer row by row. A device does (SYNC-17).
 */
const replicated = Object.fromEntries(
  REPLICATED_TABLES.map((name) => [
    TABLES[name].replicatedAs,
    v.custom((input) => Array.isArray(input)),
  ]),
) as {
  readonly [T in ReplicatedTable as ReplicatedAs<T>]: v.CustomSchema<
    readonly Tables[T][],
    undefined
  >;
};
export type ReplicatedRows = {
  readonly [T in ReplicatedTable as ReplicatedAs<T>]: readonly Tables[T][];
};

export const LastSyncSchema = v.object({
  status: v.picklist(['SUCCEEDED', 'FAILED', 'NEVER']),
  at: v.nullable(v.number()),
  /**
   * `name`: name of the key or connection. `company`: name of its company. `id`: only for users who
   * may open the page on which to change it.
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
   * One entry per tool with keys in use: number of keys, number of failed ones, and when one last
   * sent data.
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
 * The last sync as a device stores it. `tag` identifies the contents, and `asOf` tells which of two
 * is newer.
 */
export const SyncedSourcesSchema = v.object({
  ...LastSyncSchema.entries,
  tag: v.string(),
  asOf: v.number(),
});
export type SyncedSources = v.InferOutput<typeof SyncedSourcesSchema>;

/**
 * Everything that a device needs before any runs: the user, and the small tables as of `cursor`.
 * `days` lists the days of runs in the window, newest first, with the tag of each day's page. A
 * device loads the days, newest first, and then the events after `cursor`. It may see a run twice
 * (a phantom), but never misses one (SYNC-1).
 */
export const BootstrapSchema = v.object({
  protocol: v.number(),
  epoch: v.string(),
  cursor: v.number(),
  serverNow: v.number(),
  /** `acting`: the former name of `impersonator`, for the previous protocol. */
  me: v.object({ ...MeSchema.entries, acting: v.optional(MeSchema.entries.impersonator) }),
  branding: BrandingSchema,
  windowFrom: day,
  days: v.array(v.object({ day, rows: v.number(), tag: v.string() })),
  people: v.array(v.object({ id: storedIdSchema<UserId>(), name: v.string() })),
  ...replicated,
  /** The last sync of the sources; null if the user may not read it, or from older servers. */
  sources: v.optional(v.nullable(SyncedSourcesSchema), null),
});
export type Bootstrap = v.InferOutput<typeof BootstrapSchema>;

/** An event as readers of the previous protocol get it (SYNC-9). */
const FormerLoggedSchema = v.object({
  ...LoggedSchema.entries,
  actor: v.looseObject({ is: v.string() }),
  event: v.union([
    LoggedSchema.entries.event,
    v.object({ type: v.picklist(FORMER_TYPES), data: v.looseObject({}) }),
  ]),
});
/** Has the type of today's events, which everyone gets who asks for the current protocol. */
const anyLogged = v.union([LoggedSchema, FormerLoggedSchema]) as v.GenericSchema<
  v.InferInput<typeof LoggedSchema>,
  v.InferOutput<typeof LoggedSchema>
>;

/**
 * `cursor`: the log position that the response covers, even if none of the events is for this user.
 * `more`: request the next page immediately. `causes`: for users with access to some companies, the
 * causes to which the events refer. The device needs them first, because the events that created
 * them may belong to companies that the user can't see. `sources`: the last sync of the sources, if
 * its tag differs from the one in the request.
 */
export const EventsSchema = v.object({
  epoch: v.string(),
  cursor: v.number(),
  head: v.number(),
  more: v.boolean(),
  events: v.array(anyLogged),
  causes: v.optional(
    v.array(v.object({ n: v.number(), template: v.string(), kind: v.picklist(PROBLEM_KINDS) })),
  ),
  sources: v.optional(SyncedSourcesSchema),
});
export type EventsPage = v.InferOutput<typeof EventsSchema>;

/**
 * New events that a poke carries, as far as its user can read them: a device whose cursor is between
 * `after` and `cursor` doesn't have to request them (SYNC-23).
 */
export type PushedPage = Pick<EventsPage, 'cursor' | 'events' | 'causes'> & {
  readonly after: number;
};

/** The most that a poke carries. Devices request more themselves. */
export const PUSHED_PAGE = { events: 2_000, chars: 192_000 } as const;

/**
 * Messages of the poke stream (`text/event-stream`, `data: <JSON>`). They say that there is something to
 * load. `page`: what it is. `packed`: the same, as base64 of raw DEFLATE of JSON. A line before,
 * `sum: <CRC-32>`, has the checksum of the JSON as eight hexadecimal digits (SYNC-24).
 */
export type Poke =
  | {
      readonly kind: 'head';
      readonly head: number;
      readonly epoch: string;
      readonly page?: PushedPage;
      readonly packed?: string;
    }
  | { readonly kind: 'sources' } // a source synced, or failed to
  | { readonly kind: 'scope' } // the user's access has changed: reload all data
  | { readonly kind: 'out' }; // the session has ended

export const syncCalls = {
  bootstrap: call({
    method: 'GET',
    path: 'sync/bootstrap',
    summary:
      'Returns the user, and the small tables as of a cursor, limited to what the user can read.',
    input: v.strictObject({ protocol: v.optional(whole) }),
    output: BootstrapSchema,
    gate: 'signed-in',
    failures: ['update-needed'],
    allowedBeforeSetup: true,
  }),
  getDayRuns: call({
    method: 'GET',
    path: 'sync/runs/{day}',
    summary:
      'Returns the runs that started on a UTC day, as one or more pages of binary columns, newest first. Each page follows its length (u32, little-endian). The response has an ETag; a past day is encoded once.',
    input: v.strictObject({ day }),
    output: 'bytes',
    gate: 'signed-in',
    failures: ['forbidden'],
  }),
  events: call({
    method: 'GET',
    path: 'sync/events',
    summary:
      "Returns the events after a cursor that this user can see. If the epoch in the response differs from the one in the request, the log or the user's access has changed: reload all data. Send `protocol=2` to get the current names of event types. Without it, the response has the deprecated names of protocol 1, which the next version removes.",
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
    summary:
      'Streams pokes, which say that there is something to load. With `protocol=2`, they may carry new events, with the current names of their types.',
    input: v.strictObject({ protocol: v.optional(whole) }),
    output: 'stream',
    gate: 'signed-in',
    failures: ['too-many'],
    allowedBeforeSetup: true,
  }),
  lastSync: call({
    method: 'GET',
    path: 'sync/last-sync',
    summary:
      'Returns whether the last sync of every source succeeded, and which failed. Empty for users without access to the dashboard and the sources.',
    input: v.strictObject({}),
    output: LastSyncSchema,
    gate: 'signed-in',
    failures: [],
    apiKeyAllowed: 'monitoring.dashboard',
  }),
} as const;

/**
 * The headers by which a device checks an answer (SYNC-24). `mark`: the name of its request, 1 to 64 of
 * `A-Z a-z 0-9 _ -`. `sum`: the CRC-32, as eight hexadecimal digits, of the mark, a space, the status, a
 * line feed, and the body before its compression.
 */
export const CHECK_HEADERS = { mark: 'daybook-mark', sum: 'daybook-sum' } as const;

/** The headers of a queued command (OUT-3). */
export const COMMAND_HEADERS = {
  key: 'idempotency-key',
  device: 'daybook-device',
  order: 'daybook-order',
} as const;
