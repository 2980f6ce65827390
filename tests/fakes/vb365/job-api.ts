import * as v from 'valibot';
import { type Details, json, type Query } from '#tests/server/outbound/listen.ts';
import { changedJob, newJob } from './job-schema.ts';
import { jobRow, type Row } from './rows.ts';
import {
  addJob,
  addJobItem,
  uid,
  type Vb365Content,
  type Vb365Job,
  type Vb365JobItem,
  type Vb365Version,
} from './state.ts';

/** What the part of the API that changes jobs shares with the rest of it. */
interface JobParts {
  readonly version: Vb365Version;
  readonly content: Vb365Content;
  readonly notFound: () => Details;
  readonly refused: (message: string) => Details;
}
type ItemList = Vb365JobItem['list'];

const ITEM_LISTS: readonly ItemList[] = ['selectedItems', 'excludedItems'];
/** Where the directory has what an item is. */
const DIRECTORY = [
  ['user', 'users'],
  ['group', 'groups'],
  ['team', 'teams'],
  ['site', 'sites'],
] as const;
/** What a server sets itself. */
const OWN = 'id organizationId lastRun nextRun lastBackup lastStatus eTag _links runNow'.split(' ');
const KNOWN = new Set([
  ...OWN,
  ...ITEM_LISTS,
  ...'name description backupType schedulePolicy repositoryId isEnabled'.split(' '),
]);

/** Creates, replaces and deletes jobs. */
export function makeJobApi({ version, content, notFound, refused }: JobParts) {
  let made = 0;
  return {
    /** Null: it is another request. */
    change({ method, body }: Query, path: string): Details | null {
      const [list, id = '', part, ...rest] = path.split('/');
      if (rest.length > 0) return null;
      if (method === 'POST' && version === 'v8' && path === 'jobs') return create(body, null);
      if (method === 'POST' && version === 'v7' && list === 'organizations' && part === 'jobs')
        return create(body, id);
      if (list !== 'jobs' || part !== undefined || (method !== 'PUT' && method !== 'DELETE'))
        return null;
      const job = content.jobs.find((one) => one.id === id);
      if (job === undefined) return notFound();
      return method === 'PUT' ? replace(job, body) : remove(job);
    },
  };

  function create(body: string, organization: string | null): Details {
    const row = parse(body, newJob(version));
    if (row === null) return refused('The job is not of the form that is published.');
    const organizationId = organization ?? String(row['organizationId']);
    const owner = content.organizations.find((one) => one.id === organizationId);
    if (!owner) return refused('The organization was not found.');
    const wrong = getFailure(row, organizationId, null);
    if (wrong !== null) return refused(wrong);
    made += 1;
    const id = uid(`made job ${organizationId} ${made}`);
    const job = addJob(content, owner, String(row['name']), { ...getSettings(row), id });
    setItems(job, row);
    return json(jobRow(version, content, job), version === 'v8' ? 201 : 200);
  }

  /** What the body lacks is gone. */
  function replace(job: Vb365Job, body: string): Details {
    const row = parse(body, changedJob(version));
    if (row === null) return refused('The job is not of the form that is published.');
    const wrong = getFailure(row, job.organizationId, job.id);
    if (wrong !== null) return refused(wrong);
    Object.assign(job, getSettings(row), { eTag: job.eTag + 1 });
    content.jobItems = content.jobItems.filter(({ jobId }) => jobId !== job.id);
    setItems(job, row);
    return { status: 204 };
  }

  function remove(job: Vb365Job): Details {
    if (content.sessions.some(({ jobId, endTime }) => jobId === job.id && endTime === null))
      return refused('The job is running.');
    content.jobs.splice(content.jobs.indexOf(job), 1);
    content.jobItems = content.jobItems.filter(({ jobId }) => jobId !== job.id);
    return { status: 204 };
  }

  function setItems(job: Vb365Job, row: Row): void {
    for (const list of ITEM_LISTS)
      for (const item of (row[list] ?? []) as Row[])
        addJobItem(content, job, list, { id: getItemId(item), ...item });
  }

  function getFailure(row: Row, organizationId: string, own: string | null): string | null {
    const name = textIn(row, 'name');
    if (name === '') return 'The job has no name.';
    if (
      content.jobs.some(
        (one) => one.organizationId === organizationId && one.id !== own && one.name === name,
      )
    )
      return `A job with the name ${name} already exists.`;
    if (!content.repositories.some(({ id }) => id === row['repositoryId']))
      return 'The repository was not found.';
    const lists = ITEM_LISTS.map((list) => (row[list] ?? []) as Row[]);
    if (row['backupType'] === 'SelectedItems' && lists[0]?.length === 0)
      return 'The job has no items.';
    const isUnknown = (item: Row): boolean =>
      DIRECTORY.some(([field, list]) => {
        const object = item[field] as Row | undefined;
        return (
          object !== undefined &&
          !content.directory.some(
            (one) =>
              one.organizationId === organizationId && one.list === list && one.id === object['id'],
          )
        );
      });
    return lists.flat().some(isUnknown) ? 'An item was not found.' : null;
  }
}

/** Returns the body of a request if it has the published form. What no version publishes is ignored. */
function parse(body: string, schema: v.GenericSchema): Row | null {
  const row = JSON.parse(body) as Row;
  const published = Object.fromEntries(Object.entries(row).filter(([field]) => KNOWN.has(field)));
  return v.is(schema, published) ? row : null;
}

const getSettings = (row: Row): Partial<Vb365Job> => ({
  name: String(row['name']),
  description: textIn(row, 'description'),
  backupType: row['backupType'] as Vb365Job['backupType'],
  schedulePolicy: (row['schedulePolicy'] ?? {}) as Row,
  repositoryId: String(row['repositoryId']),
  isEnabled: row['isEnabled'] !== false,
  more: Object.fromEntries(Object.entries(row).filter(([field]) => !KNOWN.has(field))),
});

const textIn = (row: Row, field: string): string => {
  const value = row[field];
  return typeof value === 'string' ? value : '';
};

/** An item is known by its type and by what it is. */
const getItemId = (item: Row): string =>
  `${String(item['type'])}:${DIRECTORY.map(([field]) => textIn((item[field] ?? {}) as Row, 'id')).join('')}`;
