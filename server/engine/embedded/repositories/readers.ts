import { LRUCache } from 'lru-cache';
import type { EngineErrorKind, EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { BackupRepositoryId, Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { ContentError } from '../../shared/content-error.ts';
import { openRepository, type Repository } from '../restic/repository.ts';
import { findStoredRepository } from './repositories.ts';

/** The bytes from `from` until before `to`. */
export interface ByteRange {
  readonly from: Bytes;
  readonly to: Bytes;
}

/** Reads backed-up content for people. */
export interface RepositoryReaders {
  /**
   * Reads a range of a part. Each blob is checked (ENG-8). The stream throws a `ContentError` if
   * something can't be read.
   */
  read(
    tenant: TenantId,
    repository: BackupRepositoryId,
    part: Pick<StoredPart, 'blobs'>,
    range: ByteRange,
  ): AsyncIterable<Uint8Array>;
}

/** Each open repository has its index in memory. */
const MAX_OPEN = 4;
const IDLE_MS: Ms = 10 * 60_000;
/** The error of an outdated index: a clean-up has moved the data since. */
const MOVED: ReadonlySet<EngineErrorKind> = new Set<EngineErrorKind>(['missing', 'damaged']);

/**
 * Opening a repository takes a key derivation and its index, so the last ones stay open. They are
 * read without a lock: a download of hours would keep clean-ups away. If a clean-up moves data, the
 * repository is opened again.
 */
export function makeRepositoryReaders(context: () => AppContext): RepositoryReaders {
  const opened = new LRUCache<string, { readonly opening: Promise<EngineResult<Repository>> }>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });

  async function open(tenant: TenantId, repository: BackupRepositoryId): Promise<Repository> {
    const key = makeKey(tenant, repository);
    const entry = opened.get(key) ?? { opening: openForReading(context(), tenant, repository) };
    opened.set(key, entry);
    const result = await entry.opening.catch((error: unknown) => {
      drop(key, entry);
      throw error;
    });
    if (result.ok) return result.value;
    drop(key, entry);
    throw new ContentError(result.error);
  }

  function drop(key: string, entry: { readonly opening: unknown }): void {
    if (opened.peek(key) === entry) opened.delete(key);
  }

  return {
    async *read(tenant, repository, { blobs }, { from, to }) {
      let at = from;
      for (let isAgain = false; ; isAgain = true) {
        const reader = await open(tenant, repository);
        try {
          const content = await reader.readContent(blobs, { from: at, to });
          if (!content.ok) throw new ContentError(content.error);
          for await (const piece of content.value) {
            at += piece.length;
            yield piece;
          }
          return;
        } catch (error) {
          if (isAgain || !(error instanceof ContentError) || !MOVED.has(error.error.kind))
            throw error;
          opened.delete(makeKey(tenant, repository));
        }
      }
    },
  };
}

const makeKey = (tenant: TenantId, repository: BackupRepositoryId): string =>
  `${tenant} ${repository}`;

async function openForReading(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): Promise<EngineResult<Repository>> {
  const found = await findStoredRepository(context, tenant, repository);
  if (!found.ok) return found;
  const { target, password } = found.value;
  const { clock, chance } = context;
  return openRepository(target, { password, lock: 'none', clock, chance });
}
