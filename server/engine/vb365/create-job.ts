import * as v from 'valibot';
import { isSameName } from '#contract/backup/same-name.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { NewServerJobInput, ServerJob } from '#contract/engine/server-jobs.ts';
import type { BackupJobId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { failed } from '../result.ts';
import { type Claim, claimJob, forgetClaim, isLinked, markLost, markSent } from './job-links.ts';
import type { PortalTime } from './map-job.ts';
import { vb365Messages as t } from './messages.en.ts';
import { getReadFingerprint, getSentFingerprint, type ReadJob, readJob } from './read-job.ts';
import { getJobsPath, readJobs } from './read-organization.ts';
import {
  findSavedJobId,
  finish,
  getScheduleFailure,
  link,
  loadPlace,
  putJob,
  unknownRepository,
} from './save-jobs.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { JobShape, type Vb365Job } from './shapes.ts';
import { isOnOtherDays, type RawRow, writeNewJob } from './write-job.ts';
import { writeLists } from './write-lists.ts';

const CreatedShape = v.object({ id: JobShape.entries.id });

/** Creates a job, or changes the one that a request made whose answer was lost. */
export async function createServerJob(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { job: wantedId, settings, notification, runNow }: NewServerJobInput,
): Promise<EngineResult<ServerJob>> {
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  const { client, key } = opened.value;
  const { name } = settings;
  const { tenant, user, origin = null } = scope;
  try {
    const repository = await findSavedJobId(context, scope, settings.repository);
    if (repository === null) return unknownRepository();
    const tooNew = await getScheduleFailure(opened.value, settings);
    if (tooNew) return tooNew;
    const items = await writeLists(opened.value, settings, { selected: [], excluded: [] });
    if (!items.ok) return items;
    const creating = { name, user, origin, notification, runNow };
    const claim = await context.store.tenant(tenant, (tx) =>
      claimJob(tx, scope, wantedId, creating, context.clock.now()),
    );
    if (claim === null) return failed('busy', t.creatingNow);
    // Whether the name is free is known only now that no other request of ours takes it.
    const { jobs, there, place } = await findThere(context, scope, opened.value, name, claim).catch(
      async (error: unknown) => {
        await release(context, scope, claim);
        throw error;
      },
    );
    if (there === null && jobs.length > 0) {
      await context.store.tenant(tenant, (tx) => forgetClaim(tx, claim.id));
      return failed('conflict', t.nameTaken, { field: 'name' });
    }
    if (isOnOtherDays(settings.schedulePolicy.schedule, place)) {
      await release(context, scope, claim);
      return otherDays();
    }
    const isV8 = (await client.findVersion()) === 'v8';
    const body = {
      ...writeNewJob(settings, place),
      ...items.value,
      repositoryId: repository,
      ...(isV8 && { organizationId: key }),
    };
    const sent = getSentFingerprint(body);
    if (there === null) await context.store.tenant(tenant, (tx) => markSent(tx, claim.id, sent));
    const jobKey =
      there?.job.id ?? (await postJob(context, scope, opened.value, { claim, body, sent, place }));
    await link(context, scope, claim.id, jobKey);
    let saved = sent;
    if (there !== null && sent !== claim.sent) {
      const changed = await putJob(opened.value, there, { settings, repository, place });
      if (!changed.ok) return changed;
      saved = changed.value;
    }
    return await finish(context, scope, opened.value, {
      id: claim.id,
      jobKey,
      settings,
      place,
      sent: saved,
    });
  } catch (error) {
    return toFailed(error);
  }
}

/** Finds the jobs of a name, and the one among them that an earlier request has made. */
async function findThere(
  context: AppContext,
  scope: EngineScope,
  opened: OpenedServer,
  name: string,
  { sent }: Claim,
): Promise<{
  readonly jobs: readonly Vb365Job[];
  readonly there: ReadJob | null;
  readonly place: PortalTime;
}> {
  const all = await readJobs(opened.client, opened.key);
  const place = await loadPlace(context, scope, all, null);
  const jobs = all.filter((job) => isSameName(job.name ?? '', name));
  return { jobs, place, there: await findSent(context, scope, opened, { jobs, sent, place }) };
}

/** Returns the job with the settings that were sent; null if none has them or it is known already. */
async function findSent(
  context: AppContext,
  scope: EngineScope,
  opened: OpenedServer,
  {
    jobs,
    sent,
    place,
  }: {
    readonly jobs: readonly Vb365Job[];
    readonly sent: string | null;
    readonly place: PortalTime;
  },
): Promise<ReadJob | null> {
  if (sent === null) return null;
  for (const { id } of jobs) {
    const isKnown = await context.store.tenant(scope.tenant, (tx) => isLinked(tx, scope, id), {
      readOnly: true,
    });
    if (isKnown) continue;
    const read = await readJob(opened, id, place);
    if (getReadFingerprint(read) === sent) return read;
  }
  return null;
}

/** Nothing was sent: another request can take the name, and an earlier one can be repeated again. */
const release = (
  context: AppContext,
  { tenant }: EngineScope,
  { id, isRepeated }: Claim,
): Promise<void> =>
  context.store.tenant(tenant, (tx) => (isRepeated ? markLost(tx, id) : forgetClaim(tx, id)));

const otherDays = () =>
  failed('invalid', t.otherDays, { field: 'schedulePolicy.schedule.dailyTime' });

/** Sends a new job. If the answer is lost, the job is looked for by its name and settings. */
async function postJob(
  context: AppContext,
  scope: EngineScope,
  opened: OpenedServer,
  {
    claim: { id: claim },
    body,
    sent,
    place,
  }: {
    readonly claim: { readonly id: BackupJobId };
    readonly body: RawRow;
    readonly sent: string;
    readonly place: PortalTime;
  },
): Promise<string> {
  const { client, key } = opened;
  const listSame = async (): Promise<readonly Vb365Job[]> =>
    (await readJobs(client, key)).filter(({ name }) =>
      isSameName(name ?? '', String(body['name'])),
    );
  try {
    const path = (await client.findVersion()) === 'v8' ? 'Jobs' : getJobsPath(key);
    const made = await client.command({ method: 'POST', path, body }, CreatedShape);
    if (made !== null) return made.id;
  } catch (error) {
    const isLost = error instanceof SourceError && error.kind === 'unreachable';
    const found = isLost
      ? await listSame()
          .then((jobs) => findSent(context, scope, opened, { jobs, sent, place }))
          .catch(() => null)
      : null;
    if (found !== null) return found.job.id;
    // An unreachable server may have it nevertheless: then the next request looks for it.
    await context.store.tenant(scope.tenant, (tx) =>
      isLost ? markLost(tx, claim) : forgetClaim(tx, claim),
    );
    throw error;
  }
  // Created, without saying as what: no other job had the name before.
  const found = (await listSame())[0];
  if (found !== undefined) return found.id;
  await context.store.tenant(scope.tenant, (tx) => forgetClaim(tx, claim));
  throw new SourceError('failed', t.unknownJob);
}
