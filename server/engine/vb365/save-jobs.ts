import { isDeepStrictEqual } from 'node:util';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
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
import { findJobKey, findRepositoryKey, linkJob, loadSightings, markCommand } from './job-links.ts';
import type { PortalTime } from './map-job.ts';
import { vb365Messages as t } from './messages.en.ts';
import {
  getPath,
  getReadFingerprint,
  getSentFingerprint,
  isSameJob,
  type ReadJob,
  readJob,
  readSettled,
} from './read-job.ts';
import { readJobs } from './read-organization.ts';
import { chooseSighting, getClock, getSighting } from './server-clock.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import type { Vb365Job } from './shapes.ts';
import { refreshSoon } from './sync-server.ts';
import { hasItems, isOnOtherDays, type RawRow, writeChangedJob } from './write-job.ts';
import { RawShape, writeLists } from './write-lists.ts';

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
    const repository = await findSavedJobId(context, scope, settings.repository);
    if (repository === null) return unknownRepository();
    const tooNew = await getScheduleFailure(opened.value, settings);
    if (tooNew) return tooNew;
    const plain = await loadPlace(context, scope, [], job);
    const read = await readJob(opened.value, jobKey, plain);
    const sighting = getSighting(read.job, plain.now);
    const clock = sighting === null ? plain.clock : getClock(sighting, plain.timeZone);
    const place =
      clock === null
        ? await loadPlace(
            context,
            scope,
            await readJobs(opened.value.client, opened.value.key),
            job,
          )
        : { ...plain, clock };
    const stored = await findSavedJobId(context, scope, row.repository);
    if (!isAsStored(row, read, clock) || read.job.repositoryId !== stored) {
      await refreshSoon(context, scope, opened.value);
      return failed('conflict', t.changedThere);
    }
    const shown = row.schedulePolicy.schedule;
    const wanted = settings.schedulePolicy.schedule;
    if (canonical(wanted) !== canonical(shown) && isOnOtherDays(wanted, place))
      return failed('invalid', t.otherDays, { field: 'schedulePolicy.schedule.dailyTime' });
    const changed = await putJob(opened.value, read, { settings, repository, place, shown });
    if (!changed.ok) return changed;
    return await finish(context, scope, opened.value, {
      id: job,
      jobKey,
      settings,
      place,
      sent: changed.value,
    });
  } catch (error) {
    return toFailed(error);
  }
}

/**
 * Sends the changes, and returns their fingerprint. If the answer is lost, a change counts as done
 * if the job has the requested settings.
 */
export async function putJob(
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
    readonly place: PortalTime;
    /** The schedule as the portal showed it: if it is wanted, the server's stays as it is. */
    readonly shown?: Schedule | null;
  },
): Promise<EngineResult<string>> {
  const { client } = opened;
  const { raw, selected, excluded, job } = read;
  const lists = await writeLists(opened, settings, { selected: selected ?? [], excluded });
  if (!lists.ok) return lists;
  // To read new items of a large tenant takes a while, in which the job can change.
  const again = await readSettled(opened, job.id, place);
  if (again === null || !isSameJob(read, again)) return failed('conflict', t.changedThere);
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
  return ok(getSentFingerprint(body));
}

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
  if (!(error instanceof SourceError) || error.kind !== 'failed') throw error;
}

/**
 * Whether a job is still as its row says. Its time is compared if what it is in the provider's zone is
 * known (`clock`).
 */
function isAsStored(row: BackupJobRow, { settings }: ReadJob, clock: Ms | null): boolean {
  const { name, description, backupType, selectedItems, excludedItems, schedulePolicy } = settings;
  const { schedule } = schedulePolicy;
  const isSameSchedule =
    schedule.type === 'Daily' && row.schedulePolicy.schedule.type === 'Daily' && clock === null;
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

/** Reads the job that was written, compares it with what was `sent`, and stores what belongs to it on the server. */
export async function finish(
  context: AppContext,
  scope: EngineScope,
  opened: OpenedServer,
  {
    id,
    jobKey,
    settings,
    place,
    sent,
  }: {
    readonly id: BackupJobId;
    readonly jobKey: string;
    readonly settings: ServerJobSettings;
    readonly place: PortalTime;
    readonly sent: string;
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
    isAsWanted: read === null || getReadFingerprint(read) === sent,
  });
}

export const link = (
  context: AppContext,
  scope: EngineScope,
  id: BackupJobId,
  jobKey: string,
): Promise<void> =>
  context.store.tenant(scope.tenant, (tx) =>
    linkJob(tx, scope, { id, jobKey, at: context.clock.now() }),
  );

const findStored = (context: AppContext, { tenant, organization }: EngineScope, job: BackupJobId) =>
  context.store.tenant(tenant, (tx) => findJobKey(tx, organization, job), { readOnly: true });
export const findSavedJobId = (
  context: AppContext,
  { tenant, organization }: EngineScope,
  repository: BackupRepositoryId,
) =>
  context.store.tenant(tenant, (tx) => findRepositoryKey(tx, organization, repository), {
    readOnly: true,
  });
export const unknownRepository = () =>
  failed('invalid', t.unknownRepository, { field: 'repositoryId' });

/**
 * Returns where `job` is written (null: a new one). A clock that a job showed is the server's, so it is
 * that of the others.
 */
export async function loadPlace(
  context: AppContext,
  { tenant, organization }: EngineScope,
  jobs: readonly Vb365Job[],
  job: BackupJobId | null,
): Promise<PortalTime> {
  const now = context.clock.now();
  return context.store.tenant(
    tenant,
    async (tx) => {
      const timeZone = await loadZone(tx);
      const known = await loadSightings(tx, organization);
      const key = [...known].find(([, { id }]) => id === job)?.[0] ?? null;
      const sightings = new Map([...known].map(([one, { sighting }]) => [one, sighting]));
      for (const one of jobs) {
        const sighting = getSighting(one, now);
        if (sighting !== null) sightings.set(one.id, sighting);
      }
      const chosen = chooseSighting(sightings, key);
      return { timeZone, now, clock: chosen && getClock(chosen, timeZone) };
    },
    { readOnly: true },
  );
}

/** Every twelve hours is new in version 8. */
export async function getScheduleFailure(
  { client }: OpenedServer,
  { schedulePolicy: { schedule } }: ServerJobSettings,
) {
  return schedule.type === 'Periodically' &&
    schedule.periodicallyEvery === 'Hours12' &&
    (await client.findVersion()) === 'v7'
    ? failed('invalid', t.noHours12, { field: 'schedulePolicy.schedule.periodicallyEvery' })
    : null;
}
