import { withoutBidi } from '#contract/bidi.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { ComputerIn, RepositoryIn } from '#contract/ingest/calls.ts';
import type { ComputerRow, IngestKeyRow } from '#contract/runs/rows.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { bySource } from './pipeline.ts';
import { updateSourceHealth } from './source-health.ts';
import { lock } from './load-decision-state.ts';
import { addUsage, loadAllowance, fits, RECORD_BYTES, refuseOver } from './quota.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { boundedId } from './bounded-id.ts';

interface StoredItem {
  readonly accepted: number;
  readonly duplicates: number;
}
interface One<T> {
  readonly index: number;
  readonly value: T;
}

/** A repository has one sample per time: another one for the same time is a duplicate. */
export function recordRepositories(
  context: AppContext,
  tenant: TenantId,
  key: IngestKeyRow,
  samples: readonly One<RepositoryIn>[],
  at: Ms,
): Promise<Result<StoredItem>> {
  return keep(context, tenant, key, samples, at, async (tx) => {
    const known = new Set(
      (
        await tx.sql
          .selectFrom('repository_sample')
          .select(['repository_id', 'at'])
          .where('tenant_id', '=', tenant)
          .where(
            'repository_id',
            'in',
            samples.map(({ value }) => repositoryId(key, value)),
          )
          .where(
            'at',
            'in',
            samples.map(({ value }) => getMoment(value, at)),
          )
          .execute()
      ).map((row) => `${row.at} ${row.repository_id}`),
    );
    return samples.flatMap(({ value }): NewEvent[] => {
      const id = repositoryId(key, value);
      const moment = getMoment(value, at);
      if (known.has(`${moment} ${id}`)) return [];
      known.add(`${moment} ${id}`);
      return [
        {
          company: key.company,
          entity: `repository:${id}`,
          event: {
            type: 'repository.sampled@1',
            data: {
              id,
              key: key.id,
              company: key.company,
              uid: getUid(value),
              name: withoutBidi(value.name) || '?',
              type: value.type ?? null,
              hostName: value.hostName == null ? null : withoutBidi(value.hostName),
              path: value.path ?? null,
              capacityBytes: value.capacityBytes ?? null,
              freeBytes: value.freeBytes ?? null,
              usedBytes: value.usedBytes ?? null,
              at: moment,
            },
          },
        },
      ];
    });
  });
}

/** An unchanged computer that is reported again within an hour is a duplicate. */
export function recordComputers(
  context: AppContext,
  tenant: TenantId,
  key: IngestKeyRow,
  computers: readonly One<ComputerIn>[],
  at: Ms,
): Promise<Result<StoredItem>> {
  return keep(context, tenant, key, computers, at, async (tx) => {
    const ids = computers.map(({ value }) => computerId(key, value));
    const known = new Map(await tx.rows('computer', [...new Set(ids)]));
    return computers.flatMap(({ value }): NewEvent[] => {
      const id = computerId(key, value);
      const data = {
        id,
        key: key.id,
        company: key.company,
        hostName: withoutBidi(value.hostName) || '?',
        os: value.os ?? null,
        osType: value.osType ?? null,
        ipAddresses: value.ipAddresses ?? [],
      };
      const before = known.get(id);
      if (before && at - before.seenAt < HOUR_MS && same(before, data)) return [];
      known.set(id, {
        ...data,
        seenAt: at,
        firstSeenAt: before?.firstSeenAt ?? at,
        note: before?.note ?? null,
        ignored: before?.ignored ?? null,
      });
      return [
        {
          company: key.company,
          entity: `computer:${id}`,
          event: { type: 'computer.seen@1', data },
        },
      ];
    });
  });
}

async function keep<T>(
  context: AppContext,
  tenant: TenantId,
  key: IngestKeyRow,
  all: readonly One<T>[],
  at: Ms,
  draft: (tx: TenantTx) => Promise<readonly NewEvent[]>,
): Promise<Result<StoredItem>> {
  if (all.length === 0) return ok({ accepted: 0, duplicates: 0 });
  return context.store.tenant(tenant, async (tx) => {
    await lock(tx);
    const drafts = await draft(tx);
    const bytes = drafts.length * RECORD_BYTES;
    const allowance = await loadAllowance(tx, key, at, context.store.kind === 'pglite');
    if (allowance !== null && !fits(allowance, bytes)) return failed(refuseOver(tx, allowance, at));
    addUsage(tx, allowance, bytes, 0);
    await tx.append(drafts, bySource(key.id, at));
    await updateSourceHealth(tx, key.id, at, all.length, []);
    return ok({ accepted: drafts.length, duplicates: all.length - drafts.length });
  });
}

const getUid = (sample: RepositoryIn): string =>
  boundedId(sample.uid ?? `${sample.name}@${sample.hostName ?? ''}`);
const repositoryId = (key: IngestKeyRow, sample: RepositoryIn): string =>
  `${key.id}/${getUid(sample)}`;
const computerId = (key: IngestKeyRow, computer: ComputerIn): string =>
  boundedId(`${key.id}/${computer.hostName.toLowerCase()}`);
const getMoment = (sample: RepositoryIn, at: Ms): Ms => {
  const said = sample.at === undefined ? at : Date.parse(sample.at);
  return Number.isFinite(said) && said >= 0 && said <= at + 24 * HOUR_MS ? said : at;
};

const same = (
  before: ComputerRow,
  next: Pick<ComputerRow, 'hostName' | 'os' | 'osType' | 'ipAddresses'>,
): boolean =>
  before.hostName === next.hostName &&
  before.os === next.os &&
  before.osType === next.osType &&
  before.ipAddresses.join() === next.ipAddresses.join();
