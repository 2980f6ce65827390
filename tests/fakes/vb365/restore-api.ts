import type { Ms } from '#contract/ids.ts';
import type { Details, Query } from '#tests/server/outbound/listen.ts';
import type { SessionType, Vb365Item, Vb365Object, Vb365RestoreSession } from './restore-state.ts';
import type { Row } from './rows.ts';
import { uid, type Vb365Content, type Vb365Version } from './state.ts';

/** What the part of the API about restoring shares with the rest of it. */
export interface ApiParts {
  readonly version: Vb365Version;
  readonly content: Vb365Content;
  readonly now: () => Ms;
  readonly listed: (list: string, rows: readonly Row[], query: URLSearchParams) => Details;
  readonly answered: (row: Row, status?: number) => Details;
  readonly notFound: () => Details;
  readonly refused: (message: string) => Details;
}

const iso = (at: Ms): string => new Date(at).toISOString();

const getList = ({ type }: Vb365RestoreSession): Vb365Object['list'] =>
  type === 'Vex' ? 'mailboxes' : 'onedrives';
const objectRow = ({ id, list, name, address }: Vb365Object): Row =>
  list === 'mailboxes'
    ? { id, name, email: address, isArchive: false, isPublic: false }
    : { id, name, url: `https://example-my.sharepoint.com/personal/${id}` };

/** Restore points, restore sessions and what they show. Null: not of this part. */
export function makeRestoreApi(parts: ApiParts) {
  const { version, content, now, listed, answered, notFound, refused } = parts;

  function get(path: readonly string[], query: URLSearchParams): Details | null {
    const [list, id = '', ...rest] = path;
    if (list?.toLowerCase() === 'restorepoints' && id === '')
      return listed('restorepoints', getPoints(query), query);
    if (list?.toLowerCase() !== 'restoresessions') return null;
    const session = content.restoreSessions.find((one) => one.id === id);
    if (!session) return notFound();
    if (rest.length === 0) return answered(sessionRow(session));
    return inSession(session, rest, (found, tail) => {
      if (tail.length === 0)
        return found === null
          ? listed(getList(session), getObjects(session).map(objectRow), query)
          : answered(objectRow(found));
      return found === null || tail.length > 1
        ? notFound()
        : getBelow(session, found, tail[0] ?? '', query);
    });
  }

  function post({ body }: Query, path: readonly string[]): Details | null {
    const [list = '', id = '', ...rest] = path;
    const isExplore = rest.join('/').toLowerCase() === 'explore';
    if (isExplore && ['jobs', 'organizations'].includes(list.toLowerCase()))
      return explore(list.toLowerCase(), id, body);
    if (list.toLowerCase() !== 'restoresessions') return null;
    const session = content.restoreSessions.find((one) => one.id === id);
    if (!session) return notFound();
    if (rest.join('/').toLowerCase() === 'stop') {
      if (session.endTime !== null) return refused('The restore session is stopped.');
      session.endTime = now();
      return { status: version === 'v8' ? 204 : 200 };
    }
    return inSession(session, rest, (found, [, key = '', action = '', ...more]) => {
      const item = found?.items.find((one) => one.id === key && one.from <= session.dateTime);
      return item === undefined || action.toLowerCase() !== 'save' || more.length > 0
        ? notFound()
        : save(item);
    });
  }

  const save = ({ bytes }: Vb365Item): Details => ({
    headers: {
      'content-type': 'application/octet-stream',
      ...(!content.namesSizes && { 'transfer-encoding': 'chunked' }),
    },
    body: bytes,
  });

  function explore(list: string, id: string, body: string): Details {
    const organizationId =
      list === 'organizations'
        ? content.organizations.find((one) => one.id === id)?.id
        : content.jobs.find((one) => one.id === id)?.organizationId;
    if (organizationId === undefined) return notFound();
    const { dateTime, type } = JSON.parse(body) as { dateTime: string; type: SessionType };
    const session: Vb365RestoreSession = {
      id: uid(`restore session ${content.restoreSessions.length} ${organizationId}`),
      organizationId,
      type,
      dateTime: Date.parse(dateTime),
      creationTime: now(),
      endTime: null,
    };
    content.restoreSessions.push(session);
    return answered(sessionRow(session), version === 'v8' ? 201 : 200);
  }

  function inSession(
    session: Vb365RestoreSession,
    [scope = '', list = '', id, ...tail]: readonly string[],
    work: (object: Vb365Object | null, tail: readonly string[]) => Details,
  ): Details {
    if (session.endTime !== null) return refused('The restore session is stopped.');
    if (scope.toLowerCase() !== 'organization' || list.toLowerCase() !== getList(session))
      return notFound();
    if (id === undefined) return work(null, tail);
    const object = getObjects(session).find((one) => one.id === id);
    return object === undefined ? notFound() : work(object, tail);
  }

  function getBelow(
    session: Vb365RestoreSession,
    object: Vb365Object,
    list: string,
    query: URLSearchParams,
  ): Details {
    const parent = query.get('parentId');
    const isBelow = (above: string | null): boolean =>
      parent === null || parent === (above ?? 'root');
    const folders = object.folders.filter(({ parentId }) => isBelow(parentId));
    const items = object.items.filter(
      ({ folderId, from }) => isBelow(folderId) && from <= session.dateTime,
    );
    switch (`${object.list} ${list.toLowerCase()}`) {
      case 'mailboxes folders':
        return listed(
          'mailfolders',
          folders.map(({ id, name }) => ({
            id,
            name,
            type: 'None',
            category: name === 'Inbox' ? 'Inbox' : 'None',
            description: '',
            ...inV8({ mailboxId: object.id }),
          })),
          query,
        );
      case 'mailboxes items':
        return listed(
          'mailitems',
          items.map(({ id, row }) => ({ id, ...row, ...inV8({ mailboxId: object.id }) })),
          query,
        );
      case 'onedrives folders':
        return listed(
          'drivefolders',
          folders.map(({ id, name }) => ({
            id,
            name,
            version: '1.0',
            createdBy: object.name,
            creationTime: iso(session.dateTime),
            modifiedBy: object.name,
            modificationTime: iso(session.dateTime),
            isFolder: true,
            ...inV8({ oneDriveId: object.id }),
          })),
          query,
        );
      case 'onedrives documents':
        return listed(
          'documents',
          items.map(({ id, row }) => ({ id, ...row, ...inV8({ oneDriveId: object.id }) })),
          query,
        );
      default:
        return notFound();
    }
  }

  /** Newest first, as `orderAsc=false` asks. */
  function getPoints(query: URLSearchParams): Row[] {
    const [from, to] = [query.get('from'), query.get('to')];
    const sign = query.get('orderAsc') === 'false' ? -1 : 1;
    return content.points
      .filter(
        (one) =>
          (query.get('organizationId') ?? one.organizationId) === one.organizationId &&
          (query.get('jobId') ?? one.jobId) === one.jobId &&
          (from === null || one.backupTime >= Date.parse(from)) &&
          (to === null || one.backupTime <= Date.parse(to)),
      )
      .toSorted((a, b) => sign * (a.backupTime - b.backupTime))
      .map(({ backupTime, ...one }) => ({
        ...one,
        backupTime: iso(backupTime),
        isDeleted: false,
        repositoryId: content.repositories[0]?.id ?? uid('no repository'),
        isSharePoint: false,
        isTeams: false,
        isLongTermCopy: false,
        isCopy: false,
        isRetrieved: false,
        ...inV8({ eTag: 1, objectsEtag: 1, immutabilityExpiresOn: null }),
      }));
  }

  const getObjects = (session: Vb365RestoreSession): Vb365Object[] =>
    content.objects.filter(
      ({ organizationId, list }) =>
        organizationId === session.organizationId && list === getList(session),
    );
  const sessionRow = ({ id, type, creationTime, endTime }: Vb365RestoreSession): Row => ({
    id,
    name: 'Restore session',
    organization: '',
    type,
    creationTime: iso(creationTime),
    endTime: endTime === null ? null : iso(endTime),
    state: endTime === null ? 'Working' : 'Stopped',
    result: 'Success',
    initiatedBy: 'backup',
    details: '',
    scopeName: '',
    clientHost: '',
    reason: '',
    ...inV8({ eTag: 1 }),
  });
  const inV8 = (row: Row): Row => (version === 'v8' ? row : {});
  return { get, post };
}
