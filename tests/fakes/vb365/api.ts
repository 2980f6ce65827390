import type { Ms } from '#contract/ids.ts';
import { type Details, json, type Query } from '#tests/server/outbound/listen.ts';
import {
  directoryRow,
  getItems,
  jobRow,
  licensedUserRow,
  licenseRow,
  logRow,
  objectStorageRow,
  organizationRow,
  proxyRow,
  repositoryRow,
  type Row,
  sessionObjectRow,
  sessionRow,
  usageRow,
} from './rows.ts';
import { makeFeedApi } from './feed-api.ts';
import { makeJobApi } from './job-api.ts';
import { makeRepositoryApi } from './repository-api.ts';
import { makeRestoreApi, objectRow } from './restore-api.ts';
import {
  addSession,
  uid,
  type Vb365Content,
  type Vb365Job,
  type Vb365Session,
  type Vb365Version,
} from './state.ts';
import { refuse, TokenOffice } from './tokens.ts';

/** The REST API of a server of one version: what it has is `content`. */
export interface Vb365Api {
  readonly version: Vb365Version;
  readonly content: Vb365Content;
  readonly tokens: TokenOffice;
  readonly feed: Pick<ReturnType<typeof makeFeedApi>, 'forget' | 'reinstall'>;
  /** Returned instead of the answer of a signed-in request. */
  failure: (request: Query, path: string) => Details | null | Promise<Details | null>;
  answer(request: Query): Promise<Details>;
}

const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 10_000;
/** Each list with the parameters that both versions, and only version 8, take. */
const QUERIES: Readonly<Record<string, readonly [both: string, onlyV8: string]>> = {
  organizations: ['extendedView', 'msid backedUpOrganizationId limit offset'],
  jobs: ['', 'organizationId repositoryId limit offset'],
  jobsessions: ['jobId jobType endTimeLowerBound endTimeUpperBound limit offset', 'status'],
  licensedusers: ['limit offset organizationId name', 'backedUpOrganizationId'],
  usedrepositories: ['offset limit', ''],
  users: ['limit offset setId userName displayName locationFilter dataSource', 'detectedSkuType'],
  groups: ['limit offset setId displayName groupName locationFilter dataSource', ''],
  teams: ['limit offset setId displayName dataSource', ''],
  sites: [
    'limit offset setId includePersonalSites parentId locationFilter filter dataSource',
    'includeSearchSites',
  ],
  selecteditems: ['', 'limit offset'],
  excludeditems: ['', 'limit offset'],
  logitems: ['offset limit', 'type orderAsc'],
  processedobjects: ['offset limit', ''],
  objectstoragerepositories: ['longTerm', ''],
  backuprepositories: ['proxyId longTerm', 'proxyPoolId organizationId limit offset'],
  proxies: ['', 'limit offset'],
  proxypools: ['', 'limit offset'],
  restorepoints: [
    'organizationId jobId repositoryId from to orderAsc isLongTermCopy isCopy isRetrieved limit offset',
    'userId groupId siteId teamId',
  ],
  mailboxes: ['offset limit', ''],
  mailfolders: ['offset limit parentId name', ''],
  mailitems: ['offset limit parentId', ''],
  onedrives: ['offset limit setId', ''],
  drivefolders: ['parentId offset limit', ''],
  splibraries: ['offset limit', ''],
  splists: ['offset limit', ''],
  spfolders: ['offset limit parentId', ''],
  spdocuments: ['offset limit parentId includeFolders', ''],
  spitems: ['offset limit parentId includeFolders', ''],
  documents: ['offset limit parentId includeFolders', ''],
  vetteams: ['displayName offset limit', ''],
  vetchannels: ['displayName offset limit', ''],
  vetfiles: ['channelId parentId foldersOnly offset limit', ''],
  vetposts: ['channelId parentId offset limit', ''],
  vettabs: ['offset limit', ''],
};
const ITEM_LISTS: Readonly<Record<string, 'selectedItems' | 'excludedItems'>> = {
  selecteditems: 'selectedItems',
  excludeditems: 'excludedItems',
};
/** What every organization uses of each of its repositories. */
export const USED_BYTES = 123_456_789;
/** Lists of version 7 that have pages. */
const PAGED_IN_V7 = new Set([
  'licensedusers',
  'jobsessions',
  'logitems',
  'processedobjects',
  'usedrepositories',
  'users',
  'groups',
  'teams',
  'sites',
  'restorepoints',
  'mailboxes',
  'mailfolders',
  'mailitems',
  'onedrives',
  'drivefolders',
  'splibraries',
  'splists',
  'spfolders',
  'spdocuments',
  'spitems',
  'documents',
  'vetteams',
  'vetchannels',
  'vetfiles',
  'vetposts',
  'vettabs',
]);

export function makeVb365Api(
  version: Vb365Version,
  content: Vb365Content,
  now: () => Ms,
): Vb365Api {
  const tokens = new TokenOffice(now);
  const feed = makeFeedApi({
    version,
    content,
    notFound,
    refused: (message, word) => refuse(message, 400, code(word)),
  });
  const api: Vb365Api = { version, content, tokens, feed, failure: () => null, answer };
  const restores = makeRestoreApi({
    version,
    content,
    now,
    listed,
    answered: json,
    notFound,
    refused: (message) => refuse(message, 400, code('HttpError')),
  });
  const parts = {
    version,
    content,
    notFound,
    refused: (message: string) => refuse(message, 400, code('ParameterValidationFailure')),
  };
  const jobs = makeJobApi(parts);
  const repositories = makeRepositoryApi(parts);
  return api;

  async function answer(request: Query): Promise<Details> {
    const { pathname, searchParams } = new URL(request.path, 'https://vb365.example.com');
    const [, prefix = '', ...rest] = pathname.split('/');
    // The routes of the server don't heed case.
    const path = rest.join('/').toLowerCase();
    if (prefix.toLowerCase() !== version) return { status: 404 };
    const failure = await api.failure(request, path);
    if (failure) return failure;
    if (path === 'token' && request.method === 'POST') return tokens.answer(request, version);
    if (!tokens.isValid(request)) return refuse('Authorization has been denied.', 401);
    // Ids of restored items heed case.
    const parts = rest.map(decodeURIComponent);
    const restoring =
      request.method === 'GET' ? restores.get(parts, searchParams) : restores.post(request, parts);
    return (
      restoring ?? (request.method === 'GET' ? get(path, searchParams) : change(request, path))
    );
  }

  function get(path: string, query: URLSearchParams): Details {
    if (path === 'serviceinstance')
      return json({
        installationId: uid('installation'),
        version: version === 'v8' ? '13.0.0.4967' : '12.0.0.3102',
      });
    if (path === 'license') return json(licenseRow(content));
    const changes = feed.get(path, query);
    if (changes) return changes;
    const [list = '', id, part, key, own] = path.split('/');
    if (list === 'organizations' && id !== undefined && part === 'jobs') {
      if (version === 'v8') return notFound();
      return listed('jobs', getJobs(id), query);
    }
    if (list === 'organizations' && id !== undefined && part === 'users' && key !== undefined)
      return getUser(id, key, own, query);
    if (list === 'organizations' && key !== undefined) {
      const object = content.directory.find(
        (one) => one.organizationId === id && one.list === part && one.id === key,
      );
      return object === undefined ? notFound() : json(directoryRow(object));
    }
    if (list === 'organizations' && id !== undefined && part !== undefined)
      return getPart(id, part, query);
    if (list === 'jobs' && id !== undefined && part !== undefined) {
      const items = ITEM_LISTS[part];
      if (items === undefined || !content.jobs.some((one) => one.id === id)) return notFound();
      return listed(part, getItems(content.jobItems, id, items), query);
    }
    if (list === 'jobsessions' && id !== undefined && part !== undefined) {
      const session = content.sessions.find((one) => one.id === id);
      if (!session) return notFound();
      if (part === 'processedobjects')
        return listed(part, session.objects.map(sessionObjectRow), query);
      return part === 'logitems' ? listed(part, getLog(session, query), query) : notFound();
    }
    const rows = getRows(list, query);
    if (rows === null || part !== undefined) return notFound();
    if (id === undefined) return listed(list, rows, query);
    const row = rows.find((one) => one['id'] === id);
    return row ? json(row) : notFound();
  }

  /** What an organization uses of repositories, and its tenant's directory. */
  function getPart(id: string, part: string, query: URLSearchParams): Details {
    if (!content.organizations.some((one) => one.id === id)) return notFound();
    if (part === 'usedrepositories') {
      const used = new Set(
        content.jobs.flatMap((job) => (job.organizationId === id ? [job.repositoryId] : [])),
      );
      const rows = content.repositories.filter((one) => used.has(one.id));
      return listed(
        part,
        rows.map((one) => usageRow(version, one, USED_BYTES)),
        query,
      );
    }
    const name = (query.get('displayName') ?? query.get('filter') ?? '').replaceAll('*', '');
    const parent = query.get('parentId');
    const rows = content.directory.filter(
      (one) =>
        one.organizationId === id &&
        one.list === part &&
        one.name.toLowerCase().includes(name.toLowerCase()) &&
        (parent === null || (one.parentId ?? 'root') === parent),
    );
    return QUERIES[part] === undefined ? notFound() : listed(part, rows.map(directoryRow), query);
  }

  /** A user, or the OneDrives of one. */
  function getUser(
    organization: string,
    id: string,
    part: string | undefined,
    query: URLSearchParams,
  ): Details {
    const user = content.directory.find(
      (one) => one.organizationId === organization && one.list === 'users' && one.id === id,
    );
    if (!user) return notFound();
    if (part === undefined) return json(directoryRow(user));
    const drives = content.objects.filter(
      (one) =>
        one.organizationId === organization && one.list === 'onedrives' && one.name === user.name,
    );
    return part === 'onedrives' ? listed('onedrives', drives.map(objectRow), query) : notFound();
  }

  function getJobs(organization: string): Row[] {
    return content.jobs
      .filter(({ organizationId }) => organizationId === organization)
      .map((job) => jobRow(version, content, job));
  }

  function getLog(session: Vb365Session, query: URLSearchParams): Row[] {
    const type = query.get('type');
    const rows = session.log
      .map((item, n) => ({ item, row: logRow(version, session.id, item, n + 1) }))
      .filter(({ item }) => type === null || item.type === type)
      .map(({ row }) => row);
    return query.get('orderAsc') === 'false' ? rows.toReversed() : rows;
  }

  /** The rows of a list after its filters; null if there is no such list. */
  function getRows(list: string, query: URLSearchParams): Row[] | null {
    switch (list) {
      case 'organizations':
        return content.organizations.map((one) => organizationRow(version, one));
      case 'jobs':
        return content.jobs
          .filter(
            ({ organizationId, repositoryId }) =>
              (query.get('organizationId') ?? organizationId) === organizationId &&
              (query.get('repositoryId') ?? repositoryId) === repositoryId,
          )
          .map((job) => jobRow(version, content, job));
      case 'jobsessions':
        return getSessions(query).map((session) => sessionRow(version, content, session));
      case 'licensedusers':
        return content.licensedUsers
          .filter(
            (one) => (query.get('organizationId') ?? one.organizationId) === one.organizationId,
          )
          .map((one) => licensedUserRow(content, one));
      case 'backuprepositories':
        return content.repositories.map((one) => repositoryRow(version, one));
      case 'objectstoragerepositories':
        return version === 'v7' ? content.objectStorages.map(objectStorageRow) : null;
      case 'proxies':
        return content.proxies.map((one) => proxyRow(version, one));
      case 'proxypools':
        return version === 'v8' ? content.pools.map((one) => ({ ...one, description: '' })) : null;
      default:
        return null;
    }
  }

  /** Newest first. */
  function getSessions(query: URLSearchParams): Vb365Session[] {
    const job = query.get('jobId');
    const [from, to] = [query.get('endTimeLowerBound'), query.get('endTimeUpperBound')];
    const status = query.get('status')?.replace('Succeeded', 'Success') ?? null;
    return content.sessions
      .filter(
        (one) =>
          (job ?? one.jobId) === one.jobId &&
          (from === null || (one.endTime !== null && one.endTime >= Date.parse(from))) &&
          (to === null || (one.endTime !== null && one.endTime <= Date.parse(to))) &&
          (status ?? one.status) === one.status,
      )
      .toSorted((a, b) => b.creationTime - a.creationTime);
  }

  function listed(list: string, rows: readonly Row[], query: URLSearchParams): Details {
    const [both, onlyV8] = QUERIES[list] ?? ['', ''];
    const known = `${both} ${version === 'v8' ? onlyV8 : ''}`.split(' ');
    const unknown = [...query.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) return refuse(`Unknown parameter: ${unknown}.`, 400);
    if (version === 'v7' && !PAGED_IN_V7.has(list)) return json(rows);
    const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
    const offset = Number(query.get('offset') ?? 0);
    if (!(limit >= 1 && limit <= MAX_LIMIT && offset >= 0))
      return refuse(
        'The limit or the offset is out of range.',
        400,
        code('ParameterValidationFailure'),
      );
    const isMore = offset + limit < rows.length;
    const href = (at: number): Row => ({
      href: `/${version}/${list}?offset=${at}&limit=${limit}`,
    });
    return json({
      offset,
      limit,
      setId: uid(`set ${list}`),
      ...(version === 'v7' && { totalCount: rows.length }),
      results: rows.slice(offset, offset + limit),
      _links: { self: href(offset), ...(isMore && { next: href(offset + limit) }) },
    });
  }

  function change(request: Query, path: string): Details {
    const settings = jobs.change(request, path) ?? repositories.change(request, path);
    if (settings) return settings;
    const { method, body } = request;
    const [list, id = '', action] = path.split('/');
    if (list !== 'jobs' || method !== 'POST' || action === undefined) return notFound();
    const job = content.jobs.find((one) => one.id === id);
    if (!job) return notFound();
    if (action === 'start') return start(job, body);
    if (action === 'stop') return stop(job);
    if (action !== 'enable' && action !== 'disable') return notFound();
    job.isEnabled = action === 'enable';
    return { status: 204 };
  }

  function start(job: Vb365Job, body: string): Details {
    // The body is required, though it may be empty.
    if (!body.startsWith('{')) return refuse('The request has no body.', 400);
    if (getRunning(job))
      return refuse('The job is already running.', 400, code('OperationConflict'));
    const session = addSession(content, job, now(), { status: 'Running', endTime: null });
    return version === 'v8' ? json(sessionRow(version, content, session)) : { status: 204 };
  }

  function stop(job: Vb365Job): Details {
    const session = getRunning(job);
    if (!session) return refuse('The job is not running.', 400, code('OperationConflict'));
    Object.assign(session, { status: 'Stopped', endTime: now(), details: 'Stopped by a user.' });
    job.lastStatus = 'Stopped';
    return { status: 204 };
  }

  function getRunning(job: Vb365Job): Vb365Session | undefined {
    return content.sessions.find(({ jobId, endTime }) => jobId === job.id && endTime === null);
  }

  function code(word: string): string | undefined {
    return version === 'v8' ? word : undefined;
  }
  function notFound(): Details {
    return refuse('The resource was not found.', 404, code('ResourceNotFound'));
  }
}
