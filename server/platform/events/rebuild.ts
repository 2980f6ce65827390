import { type RowId, memoryRows } from '#contract/fold.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { TABLE_NAMES } from '#contract/tables.ts';
import type { Logged } from '#contract/events.ts';
import { readEventArchive } from './archive/read-archive.ts';
import { compare, type Difference } from './compare.ts';
import type { UnreadableTable } from './check-log.ts';
import { project } from './projection.ts';
import { getDamagedTable } from '../db/damaged-file.ts';
import type { Store, TenantTx } from '../db/store.ts';
import { replaceRows } from './replace.ts';
import { upcast } from './upcast.ts';
import { getSample, type Sample } from './write.ts';

export interface Rebuilt {
  readonly tenant: TenantId;
  readonly events: number;
  readonly rows: number;
  readonly quarantined: number;
  readonly differences: readonly Difference[];
}

/** Rows can be compared only with all events, and the archived ones are in a folder. */
export class NoArchive extends Error {
  override readonly name = 'NoArchive';
  constructor(tenant: TenantId) {
    super(`A part of the log of ${tenant} is archived. Name the folder of the archive.`);
  }
}

/** Everything derived from a tenant's log. */
export interface RebuiltLog {
  readonly head: number;
  readonly cached: ReturnType<typeof memoryRows>;
  readonly runSeq: ReadonlyMap<RowId, number>;
  readonly days: ReadonlyMap<string, { readonly rows: number; readonly seq: number }>;
  readonly kindSeq: ReadonlyMap<CompanyN, number>;
  readonly samples: readonly Sample[];
  readonly quarantined: readonly {
    readonly seq: number;
    readonly reason: string;
    readonly at: Ms;
  }[];
}

/**
 * Folds every tenant's log (or those of `only`) from event 0 and compares the result with the
 * stored rows (LOG-5), each in a snapshot. `write`: replaces what differs and changes the tenant's
 * epoch, so that devices reload. `archive`: the folder of archived events; null if there are none.
 * @throws DamagedEventArchive, NoArchive
 */
export async function rebuild(
  store: Store,
  {
    write = false,
    only,
    archive = null,
  }: {
    readonly write?: boolean;
    readonly only?: readonly TenantId[];
    readonly archive?: string | null;
  } = {},
): Promise<Rebuilt[]> {
  const all: Rebuilt[] = [];
  for (const tenant of only ?? (await store.tenants())) {
    all.push(
      await store.tenant(
        tenant,
        async (tx) => {
          if (write) await tx.take('run', 0); // blocks appends meanwhile
          const { folded, rebuilt, unreadable } = await foldAndCompare(tx, archive);
          for (const { table, reason } of unreadable) throw getDamagedTable(tenant, table, reason);
          if (write && rebuilt.differences.length > 0) await replaceRows(tx, folded);
          return rebuilt;
        },
        { readOnly: !write, long: true },
      ),
    );
  }
  return all;
}

/**
 * Folds the log from event 0 and compares the result with the stored rows. `unreadable`: tables of
 * which nothing could be compared.
 * @throws DamagedEventArchive, NoArchive
 */
export async function foldAndCompare(
  tx: TenantTx,
  archive: string | null,
): Promise<{
  readonly folded: RebuiltLog;
  readonly rebuilt: Rebuilt;
  readonly unreadable: readonly UnreadableTable[];
}> {
  const folded = await foldLog(tx, archive);
  const { differences, unreadable } = await compare(tx, folded);
  return {
    folded,
    unreadable,
    rebuilt: {
      tenant: tx.tenant,
      events: folded.head,
      rows: TABLE_NAMES.reduce((sum, name) => sum + folded.cached[name].size, 0),
      quarantined: folded.quarantined.length,
      differences,
    },
  };
}

const PAGE = 5000;

/** Reads the whole log, from event 1: the archived part from the archive, then the database. */
async function* readPages(
  tx: TenantTx,
  archive: string | null,
): AsyncGenerator<readonly Logged[], void> {
  const { cut } = await tx.head();
  if (cut > 0) {
    if (archive === null) throw new NoArchive(tx.tenant);
    yield* readEventArchive(tx, archive, PAGE);
  }
  for (let after = cut; ;) {
    const events = await tx.eventsAfter(after, PAGE);
    yield events;
    if (events.length < PAGE) return;
    after = events.at(-1)?.seq ?? after;
  }
}

async function foldLog(tx: TenantTx, archive: string | null): Promise<RebuiltLog> {
  const cached = memoryRows();
  const runSeq = new Map<RowId, number>();
  const days = new Map<string, { rows: number; seq: number }>();
  const kindSeq = new Map<CompanyN, number>();
  const samples = new Map<string, Sample>();
  const quarantined: { seq: number; reason: string; at: Ms }[] = [];
  let head = 0;
  for await (const events of readPages(tx, archive)) {
    const hole = events.find((event, index) => event.seq !== head + 1 + index);
    if (hole) throw new Error(`The log of ${tx.tenant} has a hole before event ${hole.seq}.`);
    const changes = project(cached, events, upcast);
    for (const [n, seq] of changes.runSeq) runSeq.set(n, seq);
    for (const [company, seq] of changes.kindSeq) kindSeq.set(company, seq);
    for (const [day, { gained, seq }] of changes.days)
      days.set(day, { rows: (days.get(day)?.rows ?? 0) + gained, seq });
    for (const sample of events.flatMap(getSample)) {
      const place = `${sample.repository_id} ${sample.at}`;
      if (!samples.has(place)) samples.set(place, sample);
    }
    quarantined.push(...changes.quarantined);
    head = events.at(-1)?.seq ?? head;
  }
  const said = await tx.head();
  if (said.seq !== head)
    throw new Error(`The log of ${tx.tenant} ends at ${head}, its head says ${said.seq}.`);
  return { head, cached, runSeq, days, kindSeq, samples: [...samples.values()], quarantined };
}
