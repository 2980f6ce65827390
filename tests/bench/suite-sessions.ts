/**
 * How fast mails, files, posts and rows are backed up from the simulated tenant, by a first session
 * and by the next ones, beside restic with the files of the first restore point, on both databases:
 * `node tests/bench/suite-sessions.ts`. `ITEMS`: of each kind (2,000). `MAILBOXES`: of the job whose
 * mailboxes don't change (200). `ONLY`: `pglite` or `postgres`. `KINDS`: of what is backed up, such
 * as `mails`; then nothing else is measured. Waits between requests about a team are skipped: the note
 * has how many requests there were. The tenant is another process.
 */
import { readdirSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { JobItem } from '../../contract/backup/jobs.ts';
import { binaries } from '../server/db/binaries.ts';
import { type Figure, getTable, median, quantile, type Sheet } from './figures.ts';
import { createJob, type Database, inPlace, type Place } from './suite-place.ts';
import { beginRestic } from './suite-restic.ts';
import { restoreMails, showMails } from './suite-mailbox.ts';

const ITEMS = Number(process.env['ITEMS'] ?? 2_000);
/** Added before the third session. */
const CHANGES = 100;
const MAILBOXES = Number(process.env['MAILBOXES'] ?? 200);
const DATABASES: Readonly<Record<Database, string>> = {
  pglite: 'the embedded database',
  postgres: 'PostgreSQL',
};
/** Mails that are restored. */
const RESTORED = 1_000;
const SMALL = { people: 3, mails: 1 };
const ALL_KINDS = ['mails', 'files', 'posts', 'rows'];
const NAMED_KINDS = process.env['KINDS']?.split(',');
const KINDS = NAMED_KINDS ?? ALL_KINDS;
const SAMPLE_MS = 20;
const NS = 1_000_000;
const MEGA = 1_000_000;

export async function benchSuiteSessions(say: (text: string) => void): Promise<Sheet[]> {
  const sheets: Sheet[] = [];
  for (const database of Object.keys(DATABASES) as Database[]) {
    if (![database, undefined].includes(process.env['ONLY'] as Database | undefined)) continue;
    if (database === 'postgres' && binaries() === null) continue;
    sheets.push(...(await benchDatabase(database, say)));
  }
  return sheets;
}

async function benchDatabase(database: Database, say: (text: string) => void): Promise<Sheet[]> {
  const label = DATABASES[database];
  const notes = [`load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`];
  const restored = Math.min(RESTORED, ITEMS);
  const { measured, shownMs, restoreMs } = await inPlace(database, SMALL, async (place) => {
    const results: Record<string, Measured> = {};
    for (const kind of KINDS) {
      say(`  ${ITEMS.toLocaleString('en')} ${kind} on ${label} …`);
      const { selected } = await place.office.call({ add: { kind, count: ITEMS } });
      results[kind] = await runSessions(place, selected[kind] ?? [], () =>
        place.office.call({ add: { kind, count: CHANGES } }),
      );
    }
    if (NAMED_KINDS !== undefined) return { measured: results, shownMs: [], restoreMs: 0 };
    say(`  ${restored.toLocaleString('en')} mails restored …`);
    return {
      measured: results,
      shownMs: await showMails(place),
      restoreMs: await restoreMails(place, restored),
    };
  });
  for (const [kind, { requests }] of Object.entries(measured))
    notes.push(`${requests} requests for the first session of ${kind}`);
  notes.push('Microsoft allows four requests a second about a team');
  if (Object.values(measured).some(({ resticRate }) => resticRate === null))
    notes.push('restic is not installed, left out');
  const row = (
    what: string,
    unit: string,
    get: (one: Measured) => number | null,
    goal: Pick<Figure, 'goal' | 'target'> = {},
  ): Figure => ({
    what,
    unit,
    values: Object.fromEntries(Object.entries(measured).map(([kind, one]) => [kind, get(one)])),
    ...goal,
  });
  const min = database === 'pglite' ? 1_000 : 2_500;
  const sessions: Sheet = {
    title: `Backup sessions, ${label}`,
    columns: KINDS,
    figures: [
      row('first session', 'items/s', ({ firstRate }) => firstRate, {
        goal: `${min.toLocaleString('en')} mails`,
        target: { min, column: 'mails', because: MAILS_BECAUSE },
      }),
      row('first session', 'MB/s', ({ firstMegabytes }) => firstMegabytes),
      row('server, per item', 'CPU ms', ({ cpuMs }) => cpuMs),
      row('its main thread blocked, 99 %', 'ms', ({ blockedMs }) => blockedMs),
      row('its memory', 'MB RSS', ({ rssBytes }) => rssBytes / MEGA, {
        goal: '500',
        target: {
          max: 500,
          because: 'It is that of the whole server after the sessions before.',
        },
      }),
      row('restic with the same files', 'items/s', ({ resticRate }) => resticRate),
      row('session without changes', 'ms', ({ unchangedMs }) => unchangedMs),
      row('restic without changes', 'ms', ({ resticUnchangedMs }) => resticUnchangedMs),
      row(`session with ${CHANGES} new`, 'ms', ({ changedMs }) => changedMs),
      row(`restic with ${CHANGES} new`, 'ms', ({ resticChangedMs }) => resticChangedMs),
    ],
    notes: [...notes, 'The tenant, restic and the rest of the machine shared its cores.'],
  };
  if (NAMED_KINDS !== undefined) return [sessions];
  say(`  ${MAILBOXES} mailboxes on ${label} …`);
  const many = await measureMailboxes(database);
  const manyNotes = [
    `load average ${(loadavg()[0] ?? 0).toFixed(1)} at the end`,
    `${many.folders} folders of mails in each mailbox, beside its calendars, contacts and tasks`,
    `${many.requests} requests without changes`,
  ];
  return [
    sessions,
    {
      title: `A mailbox of ${ITEMS.toLocaleString('en')} mails, ${label}`,
      columns: ['daybook'],
      figures: [
        { what: 'a mail shown, median', unit: 'ms', values: { daybook: median(shownMs) } },
        {
          what: 'a mail shown, 95 %',
          unit: 'ms',
          values: { daybook: quantile(shownMs, 0.95) },
          goal: '120',
          target: { max: 120, because: 'A preview waits for its thread and for the database.' },
        },
        {
          what: `${restored.toLocaleString('en')} mails restored`,
          unit: 's',
          values: { daybook: restoreMs / 1_000 },
          ...(restored === 1_000 && { goal: '60' }),
          target: { max: 60, because: RESTORE_BECAUSE },
        },
      ],
      notes: ['without HTTP; in the folder from which they were deleted'],
    },
    {
      title: `${MAILBOXES} mailboxes, ${label}`,
      columns: ['daybook'],
      figures: [
        {
          what: 'session without changes',
          unit: 's',
          values: { daybook: many.unchangedMs / 1_000 },
          ...(MAILBOXES === 200 && { goal: '60' }),
          target: { max: 60, because: 'Most of its time is that of the requests.' },
        },
        {
          what: 'metadata of a changed mailbox',
          unit: 'kB',
          values: { daybook: many.metadataBytes / 1_000 },
          goal: '60',
          target: { max: 60, because: 'A changed folder is written with all its items.' },
        },
        {
          what: 'memory of the server',
          unit: 'MB RSS',
          values: { daybook: many.rssBytes / MEGA },
          goal: '500',
          target: { max: 500, because: MEMORY_BECAUSE },
        },
      ],
      notes: manyNotes,
    },
  ];
}

const RESTORE_BECAUSE =
  'Each mail is looked for and written with requests of its own, and its intent is stored before.';
const MAILS_BECAUSE =
  'Each mail is a request of its own and a full-fidelity stream beside its MIME, 43 kB together, and four requests run at once for a mailbox; the tenant that answers them shares the cores.';
const MEMORY_BECAUSE = 'The embedded database is a part of it, and was made in the same process.';

interface Measured {
  /** Items and megabytes a second. */
  readonly firstRate: number;
  readonly firstMegabytes: number;
  /** Of the server, for an item. */
  readonly cpuMs: number;
  /** How long its event loop was blocked, at the 99th percentile. */
  readonly blockedMs: number;
  readonly rssBytes: number;
  /** Items a second; null without restic. */
  readonly resticRate: number | null;
  readonly unchangedMs: number;
  readonly resticUnchangedMs: number | null;
  readonly changedMs: number;
  readonly resticChangedMs: number | null;
  readonly requests: number;
}

/** Sessions of many mailboxes: without changes, and after a mail of each was deleted. */
async function measureMailboxes(database: Database) {
  const size = { people: MAILBOXES, mails: 30 };
  return inPlace(database, size, async (place) => {
    const { context, office, repository } = place;
    const { selected, folders } = await office.call();
    const run = await createJob(place, selected['mailboxes'] ?? []);
    const watch = watchServer();
    await run();
    const before = (await office.call()).requests;
    const unchanged = await run();
    const { requests } = await office.call({ remove: { from: 'each', count: 1 } });
    const path = join(context.config.repositoriesDir ?? '', repository);
    const sizeBefore = getSize(path);
    await run();
    return {
      unchangedMs: unchanged.ms,
      // Nothing is new but folders and restore points: the rest is stored already.
      metadataBytes: (getSize(path) - sizeBefore) / MAILBOXES,
      rssBytes: watch.end().rssBytes,
      requests: requests - before,
      folders,
    };
  });
}

const getSize = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/** Measures this process until `end`: it is the server. */
function watchServer() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  let rssBytes = 0;
  const timer = setInterval(() => {
    rssBytes = Math.max(rssBytes, process.memoryUsage.rss());
  }, SAMPLE_MS);
  return {
    end() {
      clearInterval(timer);
      delay.disable();
      const { user, system } = process.cpuUsage(cpu);
      return { rssBytes, blockedMs: delay.percentile(99) / NS, cpuMs: (user + system) / 1_000 };
    },
  };
}

/** Runs three sessions of a job: a first one, one without changes, and one after `change`. */
async function runSessions(
  place: Place,
  items: readonly JobItem[],
  change: () => Promise<unknown>,
): Promise<Measured> {
  const { context, office, repository } = place;
  const run = await createJob(place, items);
  const before = (await office.call()).requests;
  const watch = watchServer();
  const first = await run();
  const { cpuMs, blockedMs, rssBytes } = watch.end();
  const { requests } = await office.call();
  const { items: counted, bytes } = first.session.progress;
  const restic = beginRestic(join(context.config.repositoriesDir ?? '', repository));
  const resticFirstMs = restic?.backUp() ?? null;
  const unchanged = await run();
  const resticUnchangedMs = restic?.backUp() ?? null;
  await change();
  const changed = await run();
  const resticChangedMs = restic?.backUp() ?? null;
  restic?.end();
  return {
    firstRate: (counted.done / first.ms) * 1_000,
    firstMegabytes: (bytes.done / MEGA / first.ms) * 1_000,
    cpuMs: cpuMs / counted.done,
    blockedMs,
    rssBytes,
    resticRate: resticFirstMs === null ? null : (counted.done / resticFirstMs) * 1_000,
    unchangedMs: unchanged.ms,
    resticUnchangedMs,
    changedMs: changed.ms,
    resticChangedMs,
    requests: requests - before,
  };
}

if (import.meta.main)
  for (const sheet of await benchSuiteSessions(console.log)) console.log(getTable(sheet));
