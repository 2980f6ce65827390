import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { isShorterRetention } from '#contract/backup/server-repositories.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type {
  ServerRepositoryChange,
  ServerRepositoryFields,
  ServerRepositoryUpdate,
} from '#contract/engine/server-repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Vb365Detail } from '#server/platform/db/database-vb365.ts';
import { failed, ok } from '../result.ts';
import { markCommand } from './job-links.ts';
import { ignoreSourceError, isLostAnswer } from './lost-answer.ts';
import {
  getRepositoryVersion,
  toCleanUp,
  toRepository,
  writeChangedRepository,
} from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { getRepositoryPath, type ReadRepository, readRepository } from './read-repository.ts';
import { findRepositoryLink, setShortened } from './repository-links.ts';
import { saveAlone } from './repository-saves.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { RepositoryShape } from './shapes.ts';
import { refreshSoon } from './sync-server.ts';

/** Changes a repository if it is still as it was read. */
export const updateServerRepository = (
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { repository, version, changes, canShorten, shortensAt }: ServerRepositoryChange,
): Promise<EngineResult<ServerRepositoryUpdate>> =>
  saveAlone(context, scope, repository, async ({ key }) => {
    const opened = await servers.open(scope);
    if (!opened.ok) return opened;
    const { client } = opened.value;
    try {
      const read = await readRepository(client, key);
      const { retention: wanted, ...others } = changes;
      const before = toRepository(read.row).retention;
      const isShorter = wanted !== undefined && isShorterRetention(wanted, before);
      const isOld = version !== null && version !== getRepositoryVersion(read.raw);
      if (isOld || (isShorter && !canShorten)) {
        await refreshSoon(context, scope, opened.value);
        return failed('conflict', t.repositoryChangedThere);
      }
      const now = { ...others, ...(wanted !== undefined && !isShorter && { retention: wanted }) };
      await replaceRepository(client, key, read, now);
      const shortened = await context.store.tenant(scope.tenant, async (tx) => {
        await tx.lock();
        const waiting =
          (await findRepositoryLink(tx, scope.organization, repository))?.detail.shortened ?? null;
        if (wanted === undefined) {
          await markCommand(tx, repository, context.clock.now());
          return waiting;
        }
        const next = isShorter
          ? getShortened(waiting, { before, retention: wanted, appliesAt: shortensAt })
          : null;
        await setShortened(tx, repository, next, context.clock.now());
        return next;
      });
      await refreshSoon(context, scope, opened.value);
      const after = await readRepository(client, key).catch(ignoreSourceError);
      return ok({
        ...toRepository(read.row),
        ...now,
        ...(after && toRepository(after.row)),
        id: repository,
        shortened: shortened && {
          retention: shortened.retention,
          appliesAt: shortened.appliesAt,
        },
      });
    } catch (error) {
      return toFailed(error);
    }
  });

type Shortened = NonNullable<Vb365Detail['shortened']>;

/** The same shorter retention again waits as long as before. */
const getShortened = (waiting: Shortened | null, wanted: Shortened): Shortened =>
  isDeepStrictEqual(waiting?.retention, wanted.retention) &&
  isDeepStrictEqual(waiting?.before, wanted.before)
    ? (waiting ?? wanted)
    : wanted;

/**
 * Sends the changes. If the answer is lost, a change counts as done if the repository has the
 * requested settings.
 */
export async function replaceRepository(
  client: OpenedServer['client'],
  key: string,
  { raw }: ReadRepository,
  changes: Partial<ServerRepositoryFields>,
): Promise<void> {
  const isAs = ({ row }: Pick<ReadRepository, 'row'>): boolean => {
    const there = { ...toRepository(row), cleanUp: toCleanUp(row) };
    return FIELDS.every(
      (field) => changes[field] === undefined || isDeepStrictEqual(there[field], changes[field]),
    );
  };
  if (isAs({ row: v.parse(RepositoryShape, raw) })) return;
  const body = writeChangedRepository(raw, changes);
  try {
    await client.command({ method: 'PUT', path: getRepositoryPath(key), body }, null);
  } catch (error) {
    if (!isLostAnswer(error)) throw error;
    const now = await readRepository(client, key).catch(ignoreSourceError);
    if (now === null || !isAs(now)) throw error;
  }
}

const FIELDS = ['name', 'description', 'retention', 'cleanUp'] as const;
