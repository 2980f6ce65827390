import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { isSameName } from '#contract/backup/same-name.ts';
import type { Schedule } from '#contract/backup/schedule.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { ServerJob, ServerJobInput, ServerJobSettings } from '#contract/engine/server-jobs.ts';
import type { BackupJobId, BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { canonical } from '#server/platform/db/canonical.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { done, failed, ok } from '../result.ts';
import { commandJob } from './job-commands.ts';
import {
  claimJob,
  findJobKey,
  findRepositoryKey,
  forgetClaim,
  isLinked,
  linkJob,
  markLost,
  markCommand,
} from './job-links.ts';
import { type JobItems, type JobSettings, toJobSettings } from './map-job.ts';
import { vb365Messages as t } from './messages.en.ts';
import { getJobsPath, readJobs } from './read-organization.ts';
import { RawShape, writeLists } from './write-lists.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { JobItemShape, JobShape, type Vb365Job } from './shapes.ts';
import { scheduleServer } from './sync-server.ts';
import {
  getClock,
  getSettings,
  hasItems,
  type RawRow,
  type WritePlace,
  writeChangedJob,
  writeNewJob,
} from './write-job.ts';

const CreatedShape = v.object({ id: JobShape.entries.id });

/** A job with everything that the server has of it. */
interface ReadJob {
  readonly raw: RawRow;
  readonly job: Vb365Job;
  /** Null: it backs up its entire organization, so there are none to choose. */
  readonly selected: readonly RawRow[] | null;
  readonly excluded: readonly RawRow[];
  readonly settings: JobSettings;
}

/** Creates a job, or changes the one that a request made whose answer was lost. */
export async function createServerJob(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { job: wantedId, settings }: ServerJobInput,
): Promise<EngineResult<ServerJob>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client, key } = opened.value;
  try {
    const repository = await findKey(context, scope, settings.repository);
    if (repository === null) return unknownRepository();
    const tooNew = await getScheduleFailure(opened.value, settings);
    if (tooNew) return tooNew;
    const items = await writeLists(opened.value, settings, { selected: [], excluded: [] });
    if (!items.ok) return items;
    const claim = await context.store.tenant(scope.tenant, (tx) =>
      claimJob(tx, scope, wantedId, settings.name, context.clock.now()),
    );
    if (claim === null) return failed('busy', t.creatingNow);
    // Whether the name is free is known only now that no other request of ours takes it.
    const jobs = await readJobs(client, key).catch(async (error: unknown) => {
      await release(context, scope, claim, settings.name);
      throw error;
    });
    const place = await loadPlace(context, scope, jobs);
    const there = jobs.find(({ name }) => isSameName(name ?? '', settings.name));
    const isTaken =
      there !== undefined &&
      (!claim.isRepeated ||
        (await context.store.tenant(scope.tenant, (tx) => isLinked(tx, scope, there.id), {
          readOnly: true,
        })));
    if (isTaken) {
      await context.store.tenant(scope.tenant, (tx) => forgetClaim(tx, claim.id));
      return failed('conflict', t.nameTaken, { field: 'name' });
    }
    const isV8 = (await client.findVersion()) === 'v8';
    const body = {
      ...writeNewJob(settings, place),
      ...items.value,
      repositoryId: repository,
      ...(isV8 && { organizationId: key }),
    };
    const jobKey = there?.id ?? (await postJob(context, scope, opened.value, claim.id, body));
    await link(context, scope, claim.id, jobKey);
    if (there !== undefined) {
      const read = await readJob(opened.value, there.id, place);
      const changed = await putJob(opened.value, read, { settings, repository, place });
      if (!changed.ok) return changed;
    }
    return await finish(context, scope, opened.value, { id: claim.id, jobKey, settings, place });
  } catch (error) {
    return toFailed(error);
  }
}

/** Nothing was sent: another request can take the name, and an earlier one can be repeated again. */
const release = (
  context: AppContext,
  { tenant, user }: EngineScope,
  { id, isRepeated }: { readonly id: BackupJobId; readonly isRepeated: boolean },
  name: string,
): Promise<void> =>
  context.store.tenant(tenant, (tx) =>
    isRepeated ? markLost(tx, id, { name, user }) : forgetClaim(tx, id),
  );

/** Sends a new job. If the answer is lost, the job is looked for by its name. */
async function postJob(
  context: AppContext,
  scope: EngineScope,
  { client, key }: OpenedServer,
  claim: BackupJobId,
  body: RawRow,
): Promise<string> {
  try {
    const path = (await client.findVersion()) === 'v8' ? 'Jobs' : getJobsPath(key);
    const made = await client.command({ method: 'POST', path, body }, CreatedShape);
    if (made !== null) return made.id;
  } catch (error) {
    const isLost = error instanceof SourceError && error.kind === 'unreachable';
    const found = isLost ? await findByName(client, key, body).catch(() => null) : null;
    if (found !== null) return found;
    // An unreachable server may have it nevertheless: then the next request looks for it.
    const creating = { name: String(body['name']), user: scope.user };
    await context.store.tenant(scope.tenant, (tx) =>
      isLost ? markLost(tx, claim, creating) : forgetClaim(tx, claim),
    );
    throw error;
  }
  const found = await findByName(client, key, body);
  if (found !== null) return found;
  await context.store.tenant(scope.tenant, (tx) => forgetClaim(tx, claim));
  throw new SourceError('fault', t.unknownJob);
}

const findByName = async (
  client: OpenedServer['client'],
  key: string,
  { name }: RawRow,
): Promise<string | null> =>
  (await readJobs(client, key)).find((one) => isSameName(one.name ?? '', String(name)))?.id ?? null;

/** Changes a job if it is still as its row says. */
export async function updateServerJob(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { job, settings }: ServerJobInput,
): Promise<EngineResult<ServerJob>> {
  const found = await findStored(context, scope, job);
  if (found === null) return failed('missing', t.unknownJob);
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { row, jobKey } = found;
  try {
    const repository = await findKey(context, scope, settings.repository);
    if (repository === null) return unknownRepository();
    const tooNew = await getScheduleFailure(opened.value, settings);
    if (tooNew) return tooNew;
    const plain = await loadPlace(context, scope, []);
    const read = await readJob(opened.value, jobKey, plain);
    const clock = getClock(read.job, plain);
    const place =
      clock === null
        ? await loadPlace(context, scope, await readJobs(opened.value.client, opened.value.key))
        : { ...plain, clock };
    const stored = await findKey(context, scope, row.repository);
    if (!isAsStored(row, read, place) || read.job.repositoryId !== stored) {
      await refreshSoon(context, scope, opened.value);
      return failed('conflict', t.changedThere);
    }
    const shown = row.schedulePolicy.schedule;
    const changed = await putJob(opened.value, read, { settings, repository, place, shown });
    if (!changed.ok) return changed;
    return await finish(context, scope, opened.value, { id: job, jobKey, settings, place });
  } catch (error) {
    return toFailed(error);
  }
}

/** Sends the changes. One whose answer was lost is done if the job is as it was to become. */
async function putJob(
  opened: OpenedServer,
  read: ReadJob,
  {
    settings,
    repository,
    place,
    shown = null,
  }: {
    readonly settings: ServerJobSettings;
    readonly repository: string;
    readonly place: WritePlace;
    /** The schedule as the portal showed it: if it is wanted, the server's stays as it is. */
    readonly shown?: Schedule | null;
  },
): Promise<EngineResult<void>> {
  const { client } = opened;
  const { raw, selected, excluded, job } = read;
  const lists = await writeLists(opened, settings, { selected: selected ?? [], excluded });
  if (!lists.ok) return lists;
  // To read new items of a large tenant takes a while, in which the job can change.
  const again = await readJob(opened, job.id, place);
  if (!isSameJob(read, again)) return failed('conflict', t.changedThere);
  const { selectedItems, excludedItems } = lists.value;
  const body = {
    ...writeChangedJob(raw, read.settings, settings, { ...place, shown }),
    ...((selected !== null || settings.backupType === 'SelectedItems') && { selectedItems }),
    excludedItems,
    ...(repository !== job.repositoryId && { repositoryId: repository }),
  };
  try {
    await client.command({ method: 'PUT', path: getPath(job.id), body }, null);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unreachable') throw error;
    const now = await readJob(opened, job.id, place).catch(() => null);
    if (now === null || !isChanged(now, body, settings)) throw error;
  }
  return done;
}

/** Whether a job was the same in two readings, but for what its sessions change. */
const isSameJob = (one: ReadJob, other: ReadJob): boolean =>
  isDeepStrictEqual(
    [getSettings(one.raw), one.selected, one.excluded],
    [getSettings(other.raw), other.selected, other.excluded],
  );

/** Whether a job has what a request asked for. */
const isChanged = (
  { raw, selected, excluded }: ReadJob,
  body: RawRow,
  { backupType, selectedItems, excludedItems }: ServerJobSettings,
): boolean =>
  ['name', 'description', 'backupType', 'repositoryId', 'schedulePolicy'].every((field) =>
    isDeepStrictEqual(raw[field], body[field]),
  ) &&
  (backupType !== 'SelectedItems' || hasItems(selected ?? [], selectedItems)) &&
  hasItems(excluded, excludedItems);

export async function deleteServerJob(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  job: BackupJobId,
): Promise<EngineResult<void>> {
  const found = await findStored(context, scope, job);
  if (found === null) return failed('missing', t.unknownJob);
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client } = opened.value;
  const isGone = (): Promise<boolean> =>
    client.read(getPath(found.jobKey), RawShape).then(
      () => false,
      (error: unknown) => error instanceof SourceError && error.kind === 'missing',
    );
  try {
    if (found.row.running) await commandJob(client, found.jobKey, 'stop').catch(ignoreFailure);
    await context.store.tenant(scope.tenant, (tx) => markCommand(tx, job, context.clock.now()));
    await client
      .command({ method: 'DELETE', path: getPath(found.jobKey) }, null)
      .catch(async (error: unknown) => {
        if (!(await isGone())) throw error;
      });
    await context.store.tenant(scope.tenant, (tx) => markCommand(tx, job, context.clock.now()));
    await refreshSoon(context, scope, opened.value);
    return done;
  } catch (error) {
    return toFailed(error);
  }
}

/** The session has ended meanwhile: that is as good. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof SourceError) || error.kind !== 'fault') throw error;
}

/** Reads a job with all its items, as the server has them. */
async function readJob(
  { client }: OpenedServer,
  jobKey: string,
  place: WritePlace,
): Promise<ReadJob> {
  const raw = await client.read(getPath(jobKey), RawShape);
  const parsed = v.safeParse(JobShape, raw);
  if (!parsed.success) throw new SourceError('fault', t.otherForm);
  const job = parsed.output;
  const isV8 = (await client.findVersion()) === 'v8';
  const hasSelection = job.backupType !== 'EntireOrganization';
  const readList = async (list: string): Promise<RawRow[]> => {
    const rows: RawRow[] = [];
    for await (const page of client.readPages(`${getPath(jobKey)}/${list}`, RawShape))
      rows.push(...page);
    return rows;
  };
  const selected = isV8
    ? hasSelection
      ? await readList('SelectedItems')
      : null
    : getRows(raw['selectedItems']);
  const excluded = isV8 ? await readList('ExcludedItems') : getRows(raw['excludedItems']);
  const items: JobItems = { selected: parseItems(selected ?? []), excluded: parseItems(excluded) };
  return { raw, job, selected, excluded, settings: toJobSettings(job, items, place) };
}

function parseItems(rows: readonly RawRow[]): JobItems['selected'] {
  const parsed = v.safeParse(v.array(JobItemShape), rows);
  if (!parsed.success) throw new SourceError('fault', t.otherForm);
  return parsed.output;
}
const getRows = (value: unknown): RawRow[] => {
  const parsed = v.safeParse(v.array(RawShape), value ?? []);
  if (!parsed.success) throw new SourceError('fault', t.otherForm);
  return parsed.output;
};
const getPath = (jobKey: string): string => `Jobs/${encodeURIComponent(jobKey)}`;

/**
 * Whether a job is still as its row says. Its time is compared while the next run shows what it is in
 * the provider's zone.
 */
function isAsStored(row: BackupJobRow, { job, settings }: ReadJob, place: WritePlace): boolean {
  const { name, description, backupType, selectedItems, excludedItems, schedulePolicy } = settings;
  const { schedule } = schedulePolicy;
  const isSameSchedule =
    schedule.type === 'Daily' &&
    row.schedulePolicy.schedule.type === 'Daily' &&
    getClock(job, place) === null;
  return (
    canonical({
      name: row.name,
      description: row.description,
      backupType: row.backupType,
      selectedItems: row.selectedItems,
      excludedItems: row.excludedItems,
      schedulePolicy: isSameSchedule ? { ...row.schedulePolicy, schedule } : row.schedulePolicy,
    }) ===
    canonical({ name, description, backupType, selectedItems, excludedItems, schedulePolicy })
  );
}

/** Reads the job that was written, and stores what belongs to it on the server. */
async function finish(
  context: AppContext,
  scope: EngineScope,
  opened: OpenedServer,
  {
    id,
    jobKey,
    settings,
    place,
  }: {
    readonly id: BackupJobId;
    readonly jobKey: string;
    readonly settings: ServerJobSettings;
    readonly place: WritePlace;
  },
): Promise<EngineResult<ServerJob>> {
  // What was written counts if it can't be read now.
  const read = await readJob(opened, jobKey, place).catch((error: unknown) => {
    if (error instanceof SourceError) return null;
    throw error;
  });
  await link(context, scope, id, jobKey);
  await refreshSoon(context, scope, opened);
  const parts = settings.selectedItems.flatMap((item) => item.parts);
  return ok({
    ...settings,
    isTeamsChatsEnabled: parts.includes('teamsChats'),
    ...read?.settings,
    id,
    enabled: read?.job.isEnabled ?? true,
  });
}

const link = (
  context: AppContext,
  scope: EngineScope,
  id: BackupJobId,
  jobKey: string,
): Promise<void> =>
  context.store.tenant(scope.tenant, (tx) =>
    linkJob(tx, scope, { id, jobKey, at: context.clock.now() }),
  );

const refreshSoon = (
  context: AppContext,
  { tenant }: EngineScope,
  { server }: OpenedServer,
): Promise<void> =>
  context.store.tenant(tenant, (tx) =>
    scheduleServer(tx, server.id, context.clock.now() + SOON_MS),
  );
const SOON_MS: Ms = 5_000;

const findStored = (context: AppContext, { tenant, organization }: EngineScope, job: BackupJobId) =>
  context.store.tenant(tenant, (tx) => findJobKey(tx, organization, job), { readOnly: true });
const findKey = (
  context: AppContext,
  { tenant, organization }: EngineScope,
  repository: BackupRepositoryId,
) =>
  context.store.tenant(tenant, (tx) => findRepositoryKey(tx, organization, repository), {
    readOnly: true,
  });
const unknownRepository = () => failed('invalid', t.unknownRepository, { field: 'repositoryId' });

/** A clock that a job shows is the server's, so it is that of the others. */
async function loadPlace(
  context: AppContext,
  { tenant }: EngineScope,
  jobs: readonly Vb365Job[],
): Promise<WritePlace> {
  const timeZone = await context.store.tenant(tenant, (tx) => loadZone(tx), { readOnly: true });
  const place = { timeZone, now: context.clock.now() };
  return {
    ...place,
    clock: jobs.map((job) => getClock(job, place)).find((one) => one !== null) ?? null,
  };
}

/** Every twelve hours is new in version 8. */
async function getScheduleFailure(
  { client }: OpenedServer,
  { schedulePolicy: { schedule } }: ServerJobSettings,
) {
  return schedule.type === 'Periodically' &&
    schedule.periodicallyEvery === 'Hours12' &&
    (await client.findVersion()) === 'v7'
    ? failed('invalid', t.noHours12, { field: 'schedulePolicy.schedule.periodicallyEvery' })
    : null;
}
