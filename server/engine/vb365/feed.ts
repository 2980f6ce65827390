import * as v from 'valibot';
import type { Vb365Feed } from '#server/platform/db/database-vb365.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from './client.ts';
import { LinksShape, SessionShape, type Vb365Links, type Vb365Session } from './shapes.ts';

// The change feed of a server. Version 8 has one of events for everything, version 7 one of the
// sessions of jobs. A feed is read from a token, and each page names the token of the next one.

/** Up to where a feed was read. */
export type FeedCursor = Pick<Vb365Feed, 'version' | 'token'>;

/** What a feed names since a cursor, by the ids on the server. */
export interface FeedChanges {
  readonly cursor: FeedCursor;
  /** Version 8: the jobs that changed or are gone. */
  readonly jobs: ReadonlySet<string>;
  /** Version 8: of these, the items changed. */
  readonly items: ReadonlySet<string>;
  /** The sessions that changed. `job` null: the server doesn't say whose it is. */
  readonly sessions: ReadonlyMap<string, ChangedSession>;
}
export interface ChangedSession {
  readonly job: string | null;
  /** Version 8 has none in its feed. */
  readonly row: Vb365Session | null;
}

/** The server's own maximum is 10,000. */
const PAGE_ROWS = 2_000;
/** A feed that continues longer isn't followed: reading everything is faster. */
const MAX_PAGES = 50;
/** To find the end of version 7's feed, which begins with the first session ever. */
const MAX_FIRST_PAGES = 1_000;
/** The most that version 8 waits for an event. */
const WAIT_SECONDS = 1;
const EVENTS = 'Events';

const EventShape = v.object({
  eventType: v.string(),
  id: v.optional(v.nullable(v.string())),
  jobId: v.optional(v.nullable(v.string())),
  jobType: v.optional(v.nullable(v.string())),
});
const ChangedSessionShape = v.object({ ...SessionShape.entries, _links: LinksShape });
const token = v.pipe(v.string(), v.minLength(1), v.maxLength(4_000));
const toPageShape = <S extends v.GenericSchema>(row: S) =>
  v.object({
    nextChangeToken: token,
    limit: v.optional(v.nullable(v.number())),
    results: v.array(row),
  });

/** Answers after which everything is read: the token is out of date, or the server has no feed. */
const LOST: ReadonlySet<SourceError['kind']> = new Set(['failed', 'missing', 'forbidden']);

/** The same, and a feed that takes too long: whether the server is there shows when it is read. */
const FAILED: typeof LOST = new Set([...LOST, 'unreachable', 'busy']);

/** Returns null for such an answer. */
export async function orNull<T>(read: Promise<T>, answers = LOST): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof SourceError && answers.has(error.kind)) return null;
    throw error;
  }
}

/**
 * Returns where the feed is now; null: the server has none, or it can't be asked for it. Version 8
 * says so at once. Version 7 only has it at the end of what it names, so it continues from
 * `before`.
 */
export async function findFeedEnd(
  client: Vb365Client,
  before: FeedCursor | null,
): Promise<FeedCursor | null> {
  const version = await client.findVersion();
  if (version === 'v8') {
    const page = await orNull(
      client.read(getPath({ version, token: 'latest' }, 1), EventPage),
      FAILED,
    );
    return page === null ? null : { version, token: page.nextChangeToken };
  }
  const from = before?.version === version ? before.token : null;
  const found = await orNull(
    readTo(client, { version, token: from }, MAX_FIRST_PAGES, SessionPage, () => undefined),
    FAILED,
  );
  return found === null && from !== null ? findFeedEnd(client, null) : found;
}

/** Reads what changed since a cursor. Null: only reading everything shows it. */
export async function readFeed(client: Vb365Client, from: FeedCursor): Promise<FeedChanges | null> {
  const version = await client.findVersion();
  if (version !== from.version) return null;
  const jobs = new Set<string>();
  const items = new Set<string>();
  const sessions = new Map<string, ChangedSession>();
  const cursor = await orNull(
    version === 'v8'
      ? readTo(client, from, MAX_PAGES, EventPage, (event) => {
          addEvent({ jobs, items, sessions }, event);
        })
      : readTo(client, from, MAX_PAGES, SessionPage, (row) => {
          const { _links: links, ...session } = row;
          sessions.set(row.id, { job: findJob(links), row: session });
        }),
  );
  return cursor === null ? null : { cursor, jobs, items, sessions };
}

const EventPage = toPageShape(EventShape);
const SessionPage = toPageShape(ChangedSessionShape);

/** Reads a feed to its end; null: it continues for more pages than that. */
async function readTo<R extends typeof EventPage | typeof SessionPage>(
  client: Vb365Client,
  { version, token: from }: { readonly version: FeedCursor['version']; token: string | null },
  maxPages: number,
  shape: R,
  add: (row: v.InferOutput<R>['results'][number]) => void,
): Promise<FeedCursor | null> {
  let at = from;
  for (let n = 0; n < maxPages; n += 1) {
    const page: v.InferOutput<R> = await client.read(
      getPath({ version, token: at }, PAGE_ROWS),
      shape,
    );
    for (const row of page.results) add(row);
    const { nextChangeToken: next } = page;
    if (page.results.length < (page.limit ?? PAGE_ROWS) || next === at)
      return { version, token: next };
    at = next;
  }
  return null;
}

function getPath(
  {
    version,
    token: from,
  }: { readonly version: FeedCursor['version']; readonly token: string | null },
  limit: number,
): string {
  const since = from === null ? '' : `&from=${encodeURIComponent(from)}`;
  return version === 'v8'
    ? `${EVENTS}?limit=${limit}&timeoutSeconds=${WAIT_SECONDS}${since}`
    : `JobSessions/Changes?jobType=Backup&limit=${limit}${since}`;
}

/** Copies of backups are jobs that Daybook doesn't show. */
function addEvent(
  {
    jobs,
    items,
    sessions,
  }: {
    readonly jobs: Set<string>;
    readonly items: Set<string>;
    readonly sessions: Map<string, ChangedSession>;
  },
  { eventType: type, id, jobId, jobType }: v.InferOutput<typeof EventShape>,
): void {
  if (jobType === 'Copy') return;
  switch (type) {
    case 'JobUpdate':
    case 'JobDelete':
      if (id) jobs.add(id);
      return;
    case 'JobSelectedItemsChange':
    case 'JobExcludedItemsChange':
      if (jobId) items.add(jobId);
      return;
    case 'JobSessionUpdate':
      if (id) sessions.set(id, { job: jobId ?? null, row: null });
      return;
    default:
    // Everything else isn't stored.
  }
}

/** The job that a session links to. Version 7 has its id nowhere else. */
function findJob(links: Vb365Links): string | null {
  return (
    Object.values(links ?? {})
      .map((one) => /\/Jobs\/([\w-]{1,100})\/?$/i.exec(one?.href ?? '')?.[1])
      .find((one) => one !== undefined) ?? null
  );
}
