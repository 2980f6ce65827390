import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import type { SessionObject, Waiting } from '#contract/engine/sessions.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { indexTexts } from '../full-text/index-texts.ts';
import type { TextReader } from '../full-text/text-reader.ts';
import { findExclusion, type WhyExcluded } from '../repositories/exclusions.ts';
import { loadObjectsOnHold } from '../repositories/legal-holds.ts';
import { countObject, type IndexedObject, loadObject, storeObjectPoint } from '../index/objects.ts';
import type { Repository } from '../restic/repository.ts';
import type { ObjectSource } from '../types.ts';
import type { CountingWriter } from './content-writer.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import { isOverdue } from '../repositories/reservation.ts';
import { saveObjectTree } from './object-tree.ts';
import { readObject } from './read-object.ts';
import type { ProgressWriter, RunningSession } from './run-session.ts';
import { isAccessDenied } from '../organizations/access-denied.ts';
import { storeAccessDenied } from './show-waiting.ts';
import { endWork, type LeasedWork, MAX_ATTEMPTS, renewWork, type WorkId } from './work.ts';
import { loadWantedVersions } from './wanted-versions.ts';

interface Tools {
  readonly sources: readonly ObjectSource[];
  readonly repository: Repository;
  readonly texts: TextReader;
  readonly content: CountingWriter;
  readonly progress: ProgressWriter;
}

/** How the work on an object ended for this process. */
interface End {
  readonly state: SessionObject['state'];
  readonly message?: string | null;
  readonly waiting?: Waiting;
  readonly isFree?: boolean;
  readonly isAccessDenied?: boolean;
}

const RENEW_MS: Ms = 60_000;
/** A source that is unreachable is tried again after this, doubled each time. */
const FIRST_RETRY_MS: Ms = 30_000;

/** Another process works on the object, or the session has ended. */
class LeaseLost extends Error {}

/** The object's person was excluded meanwhile: nothing more of it may be stored. */
class Excluded extends Error {
  readonly why: WhyExcluded;
  constructor(why: WhyExcluded) {
    super('The object is excluded from backups.');
    this.why = why;
  }
}

/** Backs up one object: reads what changed, then stores its next point (ENG-2). */
export async function runWork(
  session: RunningSession,
  { object: n, attempts }: LeasedWork,
  tools: Tools,
): Promise<void> {
  const { context, tenant } = session;
  const id: WorkId = { session: session.id, owner: session.owner, object: n };
  const read = { items: 0, bytes: 0 };
  const checkLease = async (tx: TenantTx): Promise<void> => {
    const state = await renewWork(tx, id, context.clock.now());
    if (state === undefined) throw new LeaseLost('Another process works on the object.');
    if (state === 'stopping') session.interrupt();
    const exclusion = await findExclusion(tx, n);
    if (exclusion !== null) throw new Excluded(exclusion);
  };
  const object = await context.store.tenant(tenant, (tx) => loadObject(tx, n), { readOnly: true });
  const checkTurn = async (tx: TenantTx): Promise<void> => {
    await checkLease(tx);
    if (await isOverdue(tx, object.repository, context.clock.now())) session.interrupt();
  };
  const renewal = renewOften(session, checkTurn);
  try {
    await context.store.tenant(tenant, checkTurn);
    const end = await backUp(session, object, attempts, tools, checkLease, read);
    if (end !== null)
      await context.store.tenant(tenant, async (tx) => {
        await checkLease(tx);
        await endWork(tx, id, { ...end, ...read });
        if (end.isAccessDenied === true) await storeAccessDenied(tx, session.id);
        const line = getLine(object, end);
        if (line !== null) await session.log(tx, line.level, line.message);
      });
  } catch (error) {
    if (error instanceof LeaseLost) return;
    if (error instanceof Excluded) {
      const end: End =
        error.why === 'excluded'
          ? { state: 'success', message: t.excluded }
          : { state: 'warning', message: t.beingRemoved };
      await context.store.tenant(tenant, (tx) => endWork(tx, id, { ...end, ...read }));
      return;
    }
    context.log.error('the backup of an object failed', {
      tenant,
      session: session.id,
      attempts,
      error: error instanceof Error ? (error.stack ?? error.message) : 'unknown',
    });
    const end: End =
      attempts < MAX_ATTEMPTS
        ? { state: 'waiting', waiting: waitAfter(context.clock.now(), attempts, t.internal) }
        : { state: 'failed', message: t.internal };
    await context.store.tenant(tenant, (tx) => endWork(tx, id, { ...end, ...read }));
  } finally {
    renewal.end();
    tools.progress.touch();
  }
}

/** Of an object on legal hold, items of any age are backed up. */
async function loadRetainedSince(
  { context, tenant, retainedSince }: RunningSession,
  { n, repository }: IndexedObject,
): Promise<Ms | null> {
  if (retainedSince === null) return null;
  const onHold = await context.store.tenant(
    tenant,
    (tx) => loadObjectsOnHold(tx, repository, context.clock.now()),
    { readOnly: true },
  );
  return onHold.includes(n) ? null : retainedSince;
}

/** Returns how the work ended; null if its end is already stored. */
async function backUp(
  session: RunningSession,
  object: IndexedObject,
  attempts: number,
  tools: Tools,
  checkLease: (tx: TenantTx) => Promise<void>,
  read: { items: number; bytes: Bytes },
): Promise<End | null> {
  const { context, tenant } = session;
  const { sources, repository, content, progress } = tools;
  const source = sources.find(({ kinds }) => kinds.includes(object.kind));
  if (source === undefined) return { state: 'failed', message: t.noSource };
  const lacks = new Set<string>();
  let isDenied = false;
  const result = await readObject(
    {
      store: context.store,
      tenant,
      source,
      content,
      call: {
        signal: session.stop,
        includesPosts: session.includesPosts,
        timeZone: session.timeZone,
        onWaiting: session.waits.onWaiting,
        onLack: (reason, kind) => {
          lacks.add(reason);
          isDenied ||= isAccessDenied(kind);
        },
      },
      checkLease,
      onRead: (items, bytes) => {
        read.items += items;
        read.bytes += bytes;
        progress.touch();
      },
      isConfirmed: session.isConfirmed,
      retainedSince: await loadRetainedSince(session, object),
      versionLimit:
        source.listVersions === undefined ? 0 : await loadWantedVersions(session, object),
    },
    object,
  );
  if (!result.ok) return endAfter(session, object, attempts, result.error, content);
  if (session.keepsWords) await storeWords(session, object, tools, checkLease);
  const totals = await context.store.tenant(tenant, (tx) => countObject(tx, object), {
    readOnly: true,
  });
  const isUnchanged = totals.changes + totals.folderChanges + totals.versionChanges === 0;
  const tree: EngineResult<string> =
    isUnchanged && object.tree !== null
      ? { ok: true, value: object.tree }
      : await saveObjectTree({ store: context.store, tenant, repository }, object);
  const flushed = tree.ok ? await content.flush() : tree;
  if (!flushed.ok) return endAfter(session, object, attempts, flushed.error, content);
  if (!tree.ok) return null;
  const warnings = [
    ...lacks,
    ...(totals.failed > 0 ? [t.itemsFailed({ count: totals.failed })] : []),
    ...(result.value.retained > 0 ? [t.kept({ count: result.value.retained })] : []),
  ];
  const end: End = {
    state: warnings.length > 0 ? 'warning' : 'success',
    message: warnings.length > 0 ? warnings.join(' ') : null,
  };
  await context.store.tenant(tenant, async (tx) => {
    await checkLease(tx);
    await storeObjectPoint(tx, object, totals, {
      point: session.point,
      at: session.pointAt,
      tree: tree.value,
    });
    await tx.sql
      .updateTable('restore_point')
      .set((point) => ({ changes: point('changes', '+', totals.changes) }))
      .where('tenant_id', '=', tenant)
      .where('id', '=', session.point)
      .execute();
    const id: WorkId = { session: session.id, owner: session.owner, object: object.n };
    await endWork(tx, id, { ...end, ...read });
    if (isDenied) await storeAccessDenied(tx, session.id);
    await session.log(
      tx,
      end.state === 'warning' ? 'warning' : 'info',
      warnings.length > 0
        ? t.objectFailed({ name: getLabel(object), reason: warnings.join(' ') })
        : t.objectDone({ name: getLabel(object), changes: totals.changes }),
    );
  });
  return null;
}

/** Stores the words of what was imported into the repository, which no session backs up. */
export async function storeImportedWords(
  session: RunningSession,
  { organization, repository }: Pick<BackupJobRow, 'organization' | 'repository'>,
  tools: Pick<Tools, 'repository' | 'texts'>,
): Promise<void> {
  const objects = await session.context.store.tenant(
    session.tenant,
    ({ sql: db, tenant }) =>
      db
        .selectFrom('backup_object')
        .select('n')
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .where('repository_id', '=', repository)
        .where('directory_id', 'like', `${IMPORTED}%`)
        .execute(),
    { readOnly: true },
  );
  // Two sessions that do it at once store the same.
  for (const object of objects) await storeWords(session, object, tools, () => Promise.resolve());
}

/** A search that finds less is no reason to lack a restore point. */
async function storeWords(
  { context, tenant, stop }: RunningSession,
  { n }: Pick<IndexedObject, 'n'>,
  { repository, texts }: Pick<Tools, 'repository' | 'texts'>,
  checkLease: (tx: TenantTx) => Promise<void>,
): Promise<void> {
  const { store, log } = context;
  try {
    await indexTexts({ store, tenant, repository, texts, signal: stop, checkLease }, n);
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof Excluded) throw error;
    log.error('the words of contents could not be stored', {
      tenant,
      error: error instanceof Error ? (error.stack ?? error.message) : 'unknown',
    });
  }
}

function endAfter(
  session: RunningSession,
  object: IndexedObject,
  attempts: number,
  { kind, message, waitMs }: EngineError,
  content: CountingWriter,
): End {
  const now = session.context.clock.now();
  if (session.stop.aborted) return { state: 'queued', isFree: true };
  const failure = content.failure();
  if (failure !== null)
    return attempts < MAX_ATTEMPTS
      ? {
          state: 'waiting',
          waiting: waitAfter(now, attempts, t.repository({ reason: failure.message })),
        }
      : { state: 'failed', message: t.repository({ reason: failure.message }) };
  // Waiting for the cloud's limits is no failed attempt.
  if (kind === 'busy' && waitMs !== undefined)
    return { state: 'waiting', waiting: { until: now + waitMs, reason: message }, isFree: true };
  if ((kind === 'unreachable' || kind === 'busy') && attempts < MAX_ATTEMPTS)
    return { state: 'waiting', waiting: waitAfter(now, attempts, message) };
  // A person without a mailbox or drive lacks nothing.
  if (kind === 'missing' && object.point === 0) return { state: 'success', message };
  return { state: 'failed', message, isAccessDenied: isAccessDenied(kind) };
}

const waitAfter = (now: Ms, attempts: number, reason: string): Waiting => ({
  until: now + FIRST_RETRY_MS * 2 ** (attempts - 1),
  reason,
});

/** A person's mailbox and drive have one name. */
const getLabel = ({ kind, name }: IndexedObject): string => t[kind]({ name });

function getLine(object: IndexedObject, { state, message, waiting }: End) {
  const name = getLabel(object);
  if (waiting !== undefined)
    return { level: 'info' as const, message: t.waiting({ name, reason: waiting.reason }) };
  if (message === null || message === undefined) return null;
  return {
    level: state === 'failed' ? ('error' as const) : ('info' as const),
    message: t.objectFailed({ name, reason: message }),
  };
}

/** Renews the lease while a single file takes minutes. */
function renewOften(
  session: RunningSession,
  check: (tx: TenantTx) => Promise<void>,
): { end(): void } {
  const { context, tenant } = session;
  let timer: { cancel(): void };
  let isEnded = false;
  async function renew(): Promise<void> {
    try {
      await context.store.tenant(tenant, check);
    } catch (error) {
      // Without the database, the lease runs out and the next write says so.
      if (error instanceof LeaseLost && !isEnded) session.interrupt();
    }
    if (!isEnded) wait();
  }
  function wait(): void {
    timer = context.clock.after(RENEW_MS, () => void renew());
  }
  wait();
  return {
    end() {
      isEnded = true;
      timer.cancel();
    },
  };
}
