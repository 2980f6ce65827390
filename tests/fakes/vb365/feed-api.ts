import { type Details, json } from '#tests/server/outbound/listen.ts';
import { jobRow, type Row, sessionRow } from './rows.ts';
import type { Vb365Content, Vb365Version } from './state.ts';

// The change feeds of a server: what was created, changed and deleted, in this order. A test changes
// the content as it likes; whoever asks sees what is another than before.

interface Change {
  readonly kind: 'job' | 'items' | 'session' | 'point';
  readonly id: string;
  readonly isGone: boolean;
}

interface FeedParts {
  readonly version: Vb365Version;
  readonly content: Vb365Content;
  readonly refused: (message: string, code: string) => Details;
  readonly notFound: () => Details;
}

const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 10_000;
const KNOWN: Readonly<Record<Vb365Version, readonly string[]>> = {
  v7: ['jobType', 'limit', 'from'],
  v8: ['from', 'limit', 'timeoutSeconds'],
};

export function makeFeedApi({ version, content, refused, notFound }: FeedParts) {
  const changes: Change[] = [];
  let seen = new Map<string, string>();
  /** Tokens of before are out of date. */
  let oldest = 0;
  /** Each feed has its own tokens, as after a new installation. */
  let era = 1;

  /** Writes down what has changed since the last look. */
  function look(): void {
    const now = new Map<string, string>();
    for (const job of content.jobs) {
      now.set(`job ${job.id}`, JSON.stringify(job));
      const items = content.jobItems.filter(({ jobId }) => jobId === job.id);
      if (items.length > 0) now.set(`items ${job.id}`, JSON.stringify(items));
    }
    for (const one of content.sessions) now.set(`session ${one.id}`, JSON.stringify(one));
    for (const one of content.points) now.set(`point ${one.id}`, JSON.stringify(one));
    for (const [key, text] of now) if (seen.get(key) !== text) note(key, false);
    for (const key of seen.keys()) if (!now.has(key)) note(key, true);
    seen = now;
  }

  function note(key: string, isGone: boolean): void {
    const [kind, id = ''] = key.split(' ');
    changes.push({ kind: kind as Change['kind'], id, isGone });
  }

  return {
    /** The server no longer has what changed before now. */
    forget(): void {
      look();
      oldest = changes.length;
    },
    /** Another server answers at the address: it knows none of the tokens. */
    reinstall(): void {
      era += 1;
    },
    get(path: string, query: URLSearchParams): Details | null {
      if (path === 'events') return version === 'v8' ? getEvents(query) : notFound();
      if (path === 'jobsessions/changes')
        return version === 'v7' ? getSessionChanges(query) : notFound();
      return null;
    },
  };

  function getEvents(query: URLSearchParams): Details {
    if (!query.has('from')) return invalid('The from parameter is required.');
    const wait = Number(query.get('timeoutSeconds') ?? 0);
    if (!Number.isInteger(wait) || wait < 0) return invalid('The timeout is out of range.');
    return getPage(query, (change) => [toEvent(change)].flat());
  }

  function getSessionChanges(query: URLSearchParams): Details {
    if (!['Backup', 'Copy', null].includes(query.get('jobType')))
      return invalid('The type of jobs is unknown.');
    const isCopy = query.get('jobType') === 'Copy';
    const sessions = new Map(content.sessions.map((one) => [one.id, one]));
    return getPage(query, ({ kind, id }) => {
      const session = sessions.get(id);
      return kind !== 'session' || isCopy || session === undefined
        ? []
        : [sessionRow(version, content, session)];
    });
  }

  function getPage(query: URLSearchParams, toRows: (change: Change) => readonly Row[]): Details {
    const unknown = [...query.keys()].find((name) => !KNOWN[version].includes(name));
    if (unknown !== undefined) return invalid(`Unknown parameter: ${unknown}.`);
    const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
    if (!(limit >= 1 && limit <= MAX_LIMIT)) return invalid('The limit is out of range.');
    look();
    const from = query.get('from');
    const at =
      from === null ? oldest : version === 'v8' && from === 'latest' ? changes.length : read(from);
    if (at === null) return invalid('The change token is unknown.');
    if (at < oldest) return refused('The change token is out of date.', 'OutdatedChangeToken');
    const results: Row[] = [];
    let next = at;
    for (; next < changes.length && results.length < limit; next += 1)
      results.push(...toRows(changes[next] ?? { kind: 'point', id: '', isGone: true }));
    return json({
      nextChangeToken: Buffer.from(`${era}:${next}`).toString('base64'),
      limit,
      results,
      _links: { self: { href: `/${version}/changes` } },
      ...(version === 'v7' && { totalCount: null }),
    });
  }

  function read(token: string): number | null {
    const [, own, at] = /^(\d+):(\d+)$/.exec(Buffer.from(token, 'base64').toString('latin1')) ?? [];
    return Number(own) === era && Number(at) <= changes.length ? Number(at) : null;
  }

  function invalid(message: string): Details {
    return refused(message, 'ParameterValidationFailure');
  }

  function toEvent({ kind, id, isGone }: Change): Row | readonly Row[] {
    switch (kind) {
      case 'job': {
        const job = content.jobs.find((one) => one.id === id);
        return isGone || job === undefined
          ? { eventType: 'JobDelete', id, jobType: 'Backup' }
          : {
              eventType: 'JobUpdate',
              id,
              eTag: jobRow('v8', content, job)['eTag'],
              jobType: 'Backup',
            };
      }
      case 'items':
        return ['JobSelectedItemsChange', 'JobExcludedItemsChange'].map((eventType) => ({
          eventType,
          jobId: id,
        }));
      case 'session': {
        const session = content.sessions.find((one) => one.id === id);
        return isGone || session === undefined
          ? { eventType: 'JobSessionDelete', id, jobType: 'Backup' }
          : {
              eventType: 'JobSessionUpdate',
              id,
              eTag: 1,
              jobId: session.jobId,
              status: STATUS[session.status] ?? session.status,
              jobType: 'Backup',
            };
      }
      case 'point':
        return isGone
          ? { eventType: 'RestorePointDelete', id }
          : { eventType: 'RestorePointUpdate', id, eTag: 1 };
      default:
        return kind satisfies never;
    }
  }
}

/** Events have fewer words for the state of a session than sessions do. */
const STATUS: Readonly<Record<string, string>> = { Queued: 'Running', Disconnected: 'Failed' };
