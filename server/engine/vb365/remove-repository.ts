import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { done, failed } from '../result.ts';
import { markCommand } from './job-links.ts';
import { isLostAnswer } from './lost-answer.ts';
import { vb365Messages as t } from './messages.en.ts';
import { JOBS } from './read-organization.ts';
import { getRepositoryPath, readRepository } from './read-repository.ts';
import { forgetRemoved, storeRemoved } from './removed-repositories.ts';
import { changeDetail } from './repository-links.ts';
import { saveAlone } from './repository-saves.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { JobShape } from './shapes.ts';
import { refreshSoon } from './sync-server.ts';

/**
 * Removes a repository from the server, unless a job there uses it. Its files stay. If its end is lost,
 * the next reading of the server finishes the removal.
 */
export const removeServerRepository = (
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository }: { readonly repository: BackupRepositoryId },
): Promise<EngineResult<void>> =>
  saveAlone(context, scope, repository, async ({ key }) => {
    const opened = await servers.open(scope);
    if (!opened.ok) return opened;
    const { client } = opened.value;
    try {
      const jobs = await listJobs(client, key);
      if (jobs.length > 0)
        return failed('conflict', t.repositoryUsedThere({ jobs: jobs.join(', ') }));
      const found = await readIfThere(client, key);
      if (found !== null) {
        const at = context.clock.now();
        const removing = { at, origin: scope.origin ?? null };
        await context.store.tenant(scope.tenant, async (tx) => {
          await changeDetail(tx, repository, (detail) => ({ ...detail, removing }));
          await storeRemoved(tx, repository, found.row, at);
        });
        await sendRemoval(context, scope, client, { repository, key });
      }
      await context.store.tenant(scope.tenant, (tx) =>
        markCommand(tx, repository, context.clock.now()),
      );
      await refreshSoon(context, scope, opened.value);
      return done;
    } catch (error) {
      return toFailed(error);
    }
  });

/** Throws unless the repository is gone. What the server has refused leaves no trace. */
async function sendRemoval(
  context: AppContext,
  { tenant }: EngineScope,
  client: OpenedServer['client'],
  { repository, key }: { readonly repository: BackupRepositoryId; readonly key: string },
): Promise<void> {
  try {
    await client.command({ method: 'DELETE', path: getRepositoryPath(key) }, null);
  } catch (error) {
    const isGone = await readIfThere(client, key).then(
      (found) => found === null,
      () => false,
    );
    if (isGone) return;
    if (!isLostAnswer(error))
      await context.store.tenant(tenant, async (tx) => {
        await changeDetail(tx, repository, ({ removing: _refused, ...detail }) => detail);
        await forgetRemoved(tx, repository);
      });
    throw error;
  }
}

const readIfThere = (client: OpenedServer['client'], key: string) =>
  readRepository(client, key).catch((error: unknown) => {
    if (error instanceof SourceError && error.kind === 'missing') return null;
    throw error;
  });

/** The names of all jobs of the server that use a repository, also of other organizations. */
async function listJobs(client: OpenedServer['client'], key: string): Promise<string[]> {
  const path =
    (await client.findVersion()) === 'v8'
      ? `${JOBS}?repositoryId=${encodeURIComponent(key)}`
      : JOBS;
  const names: string[] = [];
  for await (const rows of client.readPages(path, JobShape))
    names.push(...rows.flatMap((job) => (job.repositoryId === key ? [job.name ?? job.id] : [])));
  return names.slice(0, MAX_NAMED_JOBS);
}
/** A message names no more. */
const MAX_NAMED_JOBS = 10;
