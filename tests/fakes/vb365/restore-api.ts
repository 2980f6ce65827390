import type { Ms } from '#contract/ids.ts';
import type { Details, Query } from '#tests/server/outbound/listen.ts';
import type { SessionType, Vb365Item, Vb365Object, Vb365RestoreSession } from './restore-state.ts';
import {
  fileAnswer,
  getBodyFields,
  getSiteFields,
  getSiteRow,
  mailAnswer,
  QUOTA,
  type Results,
  siteAnswer,
} from './restore-bodies.ts';
import type { Row } from './rows.ts';
import { isBelow, saveFile } from './saves.ts';
import { answerSearch } from './searches.ts';
import { answerTeams } from './teams-api.ts';
import { findVersion, listVersions } from './versions.ts';
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
  type === 'Vex' ? 'mailboxes' : type === 'Vesp' ? 'sites' : 'onedrives';
export const objectRow = ({ id, list, name, address }: Vb365Object): Row =>
  list === 'mailboxes'
    ? { id, name, email: address, isArchive: false, isPublic: false }
    : list === 'sites'
      ? { id, name, url: `https://example.sharepoint.com/sites/${name}` }
      : { id, name, url: `https://example-my.sharepoint.com/personal/${id}` };

const CONTAINERS = new Set(['folders', 'libraries', 'lists']);
const VERBS = new Set(['restore', 'restoreto', 'copyto']);
const parse = (body: string): Row => (body === '' ? {} : (JSON.parse(body) as Row));

const isInList = (object: Vb365Object, folder: string): boolean =>
  object.folders.some(({ id, part }) => part === 'list' && isBelow(object, folder, id));

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
    if (rest.join('/').toLowerCase() === 'statistics')
      return version === 'v8' ? answered(getStatistics(session)) : notFound();
    if (session.type === 'Vet') return inTeams(session, rest, query);
    return inSession(session, rest, (found, tail) => {
      if (tail.length === 0)
        return found === null
          ? listed(getList(session), getTop(session, query).map(objectRow), query)
          : answered(objectRow(found));
      if (found !== null && tail[2]?.toLowerCase() === 'versions')
        return listVersions({ ...parts, object: found, tail }, query);
      const document = found?.items.find(({ id: own }) => own === tail[1]);
      if (document !== undefined && tail.length === 2) {
        const row = found?.list === 'sites' ? getSiteRow(document.row) : document.row;
        return answered({ id: document.id, ...row });
      }
      return found === null || tail.length > 1
        ? notFound()
        : getBelow(session, found, tail[0] ?? '', query);
    });
  }

  function post({ body, path: url }: Query, path: readonly string[]): Details | null {
    const [list = '', id = '', ...rest] = path;
    const isExplore = rest.join('/').toLowerCase() === 'explore';
    if (isExplore && ['jobs', 'organizations'].includes(list.toLowerCase()))
      return explore(list.toLowerCase(), id, body);
    if (list.toLowerCase() === 'devicecode' && id.toLowerCase() === 'check')
      return answered({
        authenticated: content.codes.get(String(parse(body)['userCode'])) ?? false,
      });
    if (list.toLowerCase() !== 'restoresessions') return null;
    const session = content.restoreSessions.find((one) => one.id === id);
    if (!session) return notFound();
    if (rest.join('/').toLowerCase() === 'organization/restoredevicecode') {
      const userCode = `CODE${content.codes.size + 1}`;
      content.codes.set(userCode, false);
      return answered({
        userCode,
        verificationUrl: 'https://microsoft.com/devicelogin',
        expiresIn: 900,
        message: 'Sign in.',
      });
    }
    if (rest.join('/').toLowerCase() === 'stop') {
      if (hasEnded(session)) return refused('The restore session is stopped.');
      if (content.stuckSessions.has(session.id)) return refused('The session can not be stopped.');
      session.endTime = now();
      return { status: version === 'v8' ? 204 : 200 };
    }
    const query = new URL(url, 'https://vb365.example.com').searchParams;
    if (session.type === 'Vet') return inTeams(session, rest, parse(body), query);
    return inSession(session, rest, (found, path) => {
      if (path.at(-1)?.toLowerCase() === 'search')
        return answerSearch({ ...parts, session, object: found, tail: path }, parse(body), query);
      const version = found === null ? null : findVersion(found, path);
      if (version === undefined) return notFound();
      const tail = version === null ? path : [...path.slice(0, 2), path.at(-1) ?? ''];
      if (version !== null && found?.list === 'sites' && parts.version === 'v8')
        if ('documentVersion' in parse(body)) return refused('Unknown field: documentVersion.');
      if (found !== null && VERBS.has(tail.at(-1)?.toLowerCase() ?? ''))
        return restore(session, found, tail, parse(body), version?.version ?? '');
      if (found === null) return notFound();
      const items = found.items
        .filter(({ from }) => from <= session.dateTime)
        .map((one) => (version === null ? one : { ...one, bytes: version.bytes }));
      const request = { content, object: found, tail, body: parse(body), items, refused, notFound };
      return saveFile(request) ?? notFound();
    });
  }

  const hasEnded = ({ endTime }: Vb365RestoreSession): boolean =>
    endTime !== null && endTime <= now();

  /** `tail`: after the mailbox or drive. `only`: the version of the one file or row. */
  function restore(
    session: Vb365RestoreSession,
    object: Vb365Object,
    tail: readonly string[],
    body: Row,
    only: string,
  ): Details {
    const isMail = object.list === 'mailboxes';
    const list = tail.length === 1 ? '' : (tail[0] ?? '').toLowerCase();
    const verb = (tail.at(-1) ?? '').toLowerCase();
    const isOne = tail.length === 3;
    const isSite = object.list === 'sites';
    const fields = isSite
      ? getSiteFields(verb, list, isOne)
      : getBodyFields(version, isMail, verb, list, isOne);
    const unknown = Object.keys(body).find((name) => !fields.includes(name));
    if (unknown !== undefined) return refused(`Unknown field: ${unknown}.`);
    if (content.codes.get(String(body['userCode'])) !== true)
      return refused('No rights to restore.');
    const id = tail[1] ?? '';
    const chosen = (body['items'] ?? body['documents'] ?? []) as readonly { id: string }[];
    const isChosen = ({ id: own, folderId }: Vb365Item): boolean => {
      if (list === '') return true;
      if (CONTAINERS.has(list)) return isBelow(object, folderId, id);
      return isOne ? own === id : chosen.some((one) => one.id === own);
    };
    const isDeep = body['restoreSubsites'] === true;
    const objects = content.objects.filter(
      (one) => one === object || (isDeep && one.parentId === object.id),
    );
    const results = objects
      .flatMap(({ items }) => items)
      .filter((item) => item.from <= session.dateTime && isChosen(item))
      .map(({ row }) => {
        const title = String(row['subject'] ?? row['title'] ?? row['name']);
        const isRefused = content.refusedItems.has(title);
        return { title: only === '' ? title : `${title} ${only}`, isRefused };
      });
    const onedrive = body['onedrive'] as { id: string } | undefined;
    const to =
      (body['mailbox'] as string | undefined) ??
      (body['siteURL'] as string | undefined) ??
      onedrive?.id ??
      null;
    for (const { title, isRefused } of results)
      if (!isRefused) content.restored.push({ object: object.id, title, to });
    if (version === 'v7')
      return answered(
        isSite
          ? siteAnswer(list, results)
          : isMail
            ? mailAnswer(list, results)
            : fileAnswer(results),
      );
    return begin(session, results);
  }

  function begin(session: Vb365RestoreSession, results: Results): Details {
    const made: Vb365RestoreSession = {
      ...session,
      id: uid(`restore ${content.restoreSessions.length} ${session.id}`),
      creationTime: now(),
      endTime: now() + content.restoreMs,
      results,
    };
    content.restoreSessions.push(made);
    return answered({ sessionId: made.id });
  }

  function inTeams(
    session: Vb365RestoreSession,
    path: readonly string[],
    request: URLSearchParams | Row,
    query?: URLSearchParams,
  ): Details {
    if (hasEnded(session)) return refused('The restore session is stopped.');
    return answerTeams({ ...parts, session, begin }, path, request, query);
  }

  function getStatistics(session: Vb365RestoreSession): Row {
    const results = hasEnded(session) ? (session.results ?? []) : [];
    const failedItemsCount = results.filter(({ isRefused }) => isRefused).length;
    return {
      totalItemsCount: session.results?.length ?? 0,
      restoredItemsCount: results.length - failedItemsCount,
      failedItemsCount,
      skippedItemsCount: 0,
      warnings: [],
      errors: [],
      items: results.map(({ title, isRefused }) => ({
        itemRestoreDetailsType: 'Item',
        title,
        status: isRefused ? 'Failed' : 'Success',
        path: 'Inbox',
        error: isRefused ? QUOTA : '',
        warnings: [],
      })),
    };
  }

  function explore(list: string, id: string, body: string): Details {
    const organizationId =
      list === 'organizations'
        ? content.organizations.find((one) => one.id === id)?.id
        : content.jobs.find((one) => one.id === id)?.organizationId;
    if (organizationId === undefined) return notFound();
    const running = content.restoreSessions.filter((one) => !hasEnded(one));
    if (running.length >= content.maxRestoreSessions)
      return refused('The maximum number of restore sessions is reached.');
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
    if (hasEnded(session)) return refused('The restore session is stopped.');
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
      case 'sites libraries':
      case 'sites lists':
        return listed(
          `sp${list.toLowerCase()}`,
          object.folders
            .filter(({ part }) => part === (list.toLowerCase() === 'lists' ? 'list' : 'library'))
            .map(({ id, name }) => ({
              id,
              name,
              url: `https://example.sharepoint.com/sites/${object.name}/${name}`,
              description: '',
              creationTime: iso(session.dateTime),
              ...inV8({ siteId: object.id }),
            })),
          query,
        );
      case 'sites folders':
        return listed(
          'spfolders',
          folders
            .filter(({ part }) => part === undefined)
            .map((folder) => ({
              type: isInList(object, folder.id) ? 'ListFolder' : 'LibraryFolder',
              id: folder.id,
              name: folder.name,
              version: '1.0',
              createdBy: 'Ann Chovey',
              creationTime: iso(session.dateTime),
              modifiedBy: 'Ann Chovey',
              modificationTime: iso(session.dateTime),
              isFolder: true,
              ...inV8({ siteId: object.id }),
            })),
          query,
        );
      case 'sites documents':
      case 'sites items':
        return listed(
          `sp${list.toLowerCase()}`,
          items
            .filter(({ row }) => 'title' in row === (list.toLowerCase() === 'items'))
            .map(({ id, row }) => ({
              id,
              ...getSiteRow(row),
              ...inV8({ siteId: object.id }),
            })),
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
        isLongTermCopy: false,
        isCopy: false,
        isRetrieved: false,
        ...inV8({ eTag: 1, objectsEtag: 1, immutabilityExpiresOn: null }),
      }));
  }

  /** Of sites, those below one; without a parent, all. */
  const getTop = (session: Vb365RestoreSession, query: URLSearchParams): Vb365Object[] => {
    const parent = query.get('parentId');
    return getObjects(session).filter(
      ({ parentId }) => parent === null || (parentId ?? 'root') === parent,
    );
  };
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
    state: endTime !== null && endTime <= now() ? 'Stopped' : 'Working',
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
