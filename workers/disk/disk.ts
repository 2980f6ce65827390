import type { DeviceId } from '#contract/ids.ts';
import type { Disk } from '../types.ts';
import { answerTo, clearAnswers, keepAnswer } from './cached-answers.ts';
import { makeCipher, plainCipher } from './cipher.ts';
import { compactStep } from './compact.ts';
import { connectTo, makeLost, type Connection, type Losing } from './connection.ts';
import { getDatabase, type Idb } from './database.ts';
import type { DiskRecords } from './records.ts';
import { withDiskErrors } from './disk-errors.ts';
import { DATA, type DiskContext } from './disk-context.ts';
import { startOfUtcDay } from './manifest.ts';
import { memoryObjectStores } from './memory.ts';
import { deleteDraft, readDraft, saveDraft } from './drafts.ts';
import { dropNotice, keepNotice, notices } from './notices.ts';
import { commands, dropCommand, keepCommand, markCommand } from './outbox.ts';
import {
  openAll,
  readSnapshots,
  readPatch,
  readRemainingSnapshots,
  readSegment,
} from './reading.ts';
import type { StoredProfile, Profiles } from './profiles.ts';
import { OLDEST, evictAndRetry, type MayGo } from './quota.ts';
import { objectStores } from './object-stores.ts';
import { addDays, append, begin, forget, noteMissing, noteSynced, saveUser } from './writing.ts';

/**
 * Opens the database of one user, as stored in the profiles. Rejects with `DiskError` unavailable
 * if the browser refuses: use `memoryDisk` then.
 */
export const openDisk = async (
  profile: StoredProfile,
  register: Pick<Profiles, 'leave'>,
  idb?: Idb,
): Promise<Disk> => diskOn(await connectTo(profile, idb), profile, register, idb);

/** The same on a connection that is already open. */
export function diskOn(
  connection: Connection,
  profile: StoredProfile,
  register: Pick<Profiles, 'leave'>,
  idb?: Idb,
): Disk {
  const name = getDatabase(profile);
  return makeDisk(
    {
      stores: objectStores<DiskRecords>(connection, idb),
      cipher: makeCipher(profile.key, name),
      outboxCipher: makeCipher(profile.outboxKey, name),
      device: profile.device,
      leave: (keepOutbox) => register.leave(profile, keepOutbox),
      ...BEFORE(),
    },
    connection.lost,
  );
}

/** The same in memory, if the browser refuses a database: closing it loses everything. */
export const memoryDisk = (device: DeviceId): Disk =>
  makeDisk(
    {
      stores: memoryObjectStores<DiskRecords>(),
      cipher: plainCipher,
      outboxCipher: plainCipher,
      device,
      leave: () => Promise.resolve(),
      ...BEFORE(),
    },
    makeLost(),
  );

const BEFORE = (): Pick<
  DiskContext,
  'load' | 'nextPatch' | 'ahead' | 'warmStart' | 'patience'
> => ({
  load: null,
  nextPatch: null,
  ahead: new Map(),
  warmStart: null,
  patience: 0,
});

function makeDisk(context: DiskContext, lost: Losing): Disk {
  const data = makeQueue();
  const outbox = makeQueue();
  const drafts = makeQueue();
  // Changes of server data run in sequence, in the order of the calls; so do those of the outbox,
  // in parallel to them.
  const change = <T>(may: MayGo, work: () => Promise<T>): Promise<T> =>
    data(() => withDiskErrors(() => evictAndRetry(context, may, work)));
  const strictly = <T>(work: () => Promise<T>): Promise<T> =>
    outbox(() => withDiskErrors(() => evictAndRetry(context, { ...OLDEST, patient: false }, work)));
  return {
    open: (ahead = null) => data(() => withDiskErrors(() => openAll(context, ahead))),
    snapshots: (folds, wanted) => withDiskErrors(() => readSnapshots(context, folds, wanted)),
    remainingSnapshots: (folds, take) =>
      withDiskErrors(() => readRemainingSnapshots(context, folds, take)),
    segment: (id) => withDiskErrors(() => readSegment(context, id)),
    begin: (fresh) => change({ ...OLDEST, share: 1 }, () => begin(context, fresh)),
    saveUser: (user) => change(OLDEST, () => saveUser(context, user)),
    addDays: (days) =>
      change(
        { ...OLDEST, olderThanSec: Math.min(...days.map(({ day }) => startOfUtcDay(day))) },
        () => addDays(context, days),
      ),
    append: (patch, syncedAt) => change(OLDEST, () => append(context, patch, syncedAt)),
    patch: (id) => withDiskErrors(() => readPatch(context, id)),
    noteSynced: (at) => change(OLDEST, () => noteSynced(context, at)),
    noteMissing: (since) => change(OLDEST, () => noteMissing(context, since)),
    compact: () => data(() => withDiskErrors(() => compactStep(context))),
    forget: (beforeSec) => change(OLDEST, () => forget(context, beforeSec)),
    keepCommand: (command) => strictly(() => keepCommand(context, command)),
    commands: () => outbox(() => withDiskErrors(() => commands(context))),
    markCommand: (id, state, failure, refused) =>
      strictly(() => markCommand(context, id, state, failure, refused)),
    dropCommand: (id) => strictly(() => dropCommand(context, id)),
    keepNotice: (notice) => outbox(() => withDiskErrors(() => keepNotice(context, notice))),
    notices: () => outbox(() => withDiskErrors(() => notices(context))),
    dropNotice: (id) => outbox(() => withDiskErrors(() => dropNotice(context, id))),
    onOutbox: (listener) => context.stores.watch(['outbox', 'notices'], listener),
    keepAnswer: (question, answer) => withDiskErrors(() => keepAnswer(context, question, answer)),
    answerTo: (question) => withDiskErrors(() => answerTo(context, question)),
    saveDraft: (name, at, value) =>
      drafts(() =>
        withDiskErrors(() =>
          evictAndRetry(context, { ...OLDEST, patient: false }, () =>
            saveDraft(context, name, at, value),
          ),
        ),
      ),
    readDraft: (name) => drafts(() => withDiskErrors(() => readDraft(context, name))),
    deleteDraft: (name) => drafts(() => withDiskErrors(() => deleteDraft(context, name))),
    device: context.device,
    destroy: (keepOutbox) =>
      data(() =>
        outbox(() => drafts(() => withDiskErrors(() => destroy(context, lost, keepOutbox)))),
      ),
    onLost: lost.listen,
    close: () => {
      lost.closing();
      context.stores.close();
    },
  };
}

/**
 * Keys first: the data may fail to be deleted, and then can't be read (C9). The data is deleted even
 * if the keys can't be.
 */
async function destroy(context: DiskContext, lost: Losing, keepOutbox: boolean): Promise<void> {
  const unsent =
    keepOutbox &&
    (await context.stores.read(['outbox'], (store) => store.all('outbox')).catch(() => ['unknown']))
      .length > 0;
  try {
    await context.leave(unsent);
  } finally {
    await destroyData(context, lost, unsent);
  }
}

async function destroyData(context: DiskContext, lost: Losing, keepOutbox: boolean): Promise<void> {
  if (!keepOutbox) {
    lost.closing();
    return context.stores.destroy();
  }
  await context.stores.write([...DATA, 'answers', 'drafts'], async (store) => {
    await Promise.all([
      store.remove('meta', 'manifest'),
      store.remove('meta', 'who'),
      store.remove('meta', 'front'),
      store.clear('books'),
      store.clear('segments'),
      store.clear('patches'),
      store.clear('drafts'),
      clearAnswers(store),
    ]);
  });
}

/** Runs work in sequence; a failure doesn't stop what follows. */
function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
