import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { SchedulePolicy } from '#contract/backup/schedule.ts';
import type { StartReason } from '#contract/engine/sessions.ts';
import type { EngineError } from '#contract/engine/engine.ts';
import type { Event } from '#contract/events.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import { makeTextReader, type TextReader } from '#server/engine/embedded/full-text/text-reader.ts';
import { readFolders, readItems } from '#server/engine/embedded/index/read.ts';
import {
  initRepository,
  openRepository,
  type Repository,
} from '#server/engine/embedded/restic/repository.ts';
import { failed } from '#server/engine/result.ts';
import type { RepositoryTarget } from '#server/engine/embedded/restic/target.ts';
import { backupSession, type SessionPorts } from '#server/engine/embedded/sessions/run-session.ts';
import type { TenantDirectory } from '#server/engine/embedded/sessions/select-objects.ts';
import { startSession, stopSession } from '#server/engine/embedded/sessions/session-rows.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import { aTenant, byClock, companyDraft } from '../db/drafts.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { type MemoryCopy, type MemoryObject, memorySource } from './memory-source.ts';
import {
  makeClock,
  makeMemoryTarget,
  type MemoryFiles,
  PASSWORD,
  PROOF,
  toFolder,
  tools,
  getValue,
} from './restic/fixtures.ts';
import { expectNoErrors, listPrograms, restoreFiles } from './restic/restic-reader.ts';

export const ORGANIZATION = {
  engine: 'embedded',
  type: 'Office365',
  name: 'Saltmarsh Marine',
  officeName: 'saltmarsh-marine.example.com',
  directoryId: '5a17a54e-0000-4000-8000-00000000a11c',
  region: 'Worldwide',
  authType: 'modern',
  isExchangeOnline: true,
  isSharePointOnline: true,
  isTeamsOnline: false,
  isTeamsChatsOnline: false,
  applicationId: null,
  certificate: null,
  sharePointSaveAllWebParts: false,
} as const;
const POLICY: SchedulePolicy = {
  schedule: { type: 'Disabled' },
  backupWindow: null,
  retryNumber: 0,
  retryWaitInterval: 10,
};
/** A job of everything, without its schedule. */
export const JOB = {
  name: 'Mail and files',
  description: '',
  isTeamsChatsEnabled: false,
  backupType: 'EntireOrganization' as const,
  selectedItems: [],
  excludedItems: [],
  proxy: null,
};
type JobSettings = Partial<
  Pick<
    BackupJobRow,
    | 'backupType'
    | 'selectedItems'
    | 'excludedItems'
    | 'schedulePolicy'
    | 'isFullTextEnabled'
    | 'fileVersions'
  >
>;

/** A provider with an organization of objects in memory, a repository in memory, and jobs. */
export interface SessionBench {
  readonly ground: Fixture;
  readonly tenant: TenantId;
  readonly files: MemoryFiles;
  readonly objects: MemoryObject[];
  readonly organization: string;
  readonly repository: string;
  addJob(settings?: JobSettings): Promise<string>;
  start(job: string, reason?: StartReason): Promise<string | null>;
  stop(job: string): Promise<boolean>;
  /** Runs a session as a process does. Returns when it goes on; null: it has ended. */
  run(session: string, place?: Partial<Place>): Promise<Ms | null>;
  job(id: string): Promise<BackupJobRow>;
  readonly open: () => Promise<Repository>;
  append(event: Event): Promise<void>;
  /** Whether restic finds no error in the repository when the test has ended. */
  isReadable: boolean;
}
/** What a process works on: a test puts something between. */
export interface Place {
  readonly store: Store;
  readonly target: RepositoryTarget;
  readonly open: () => Promise<Repository>;
  /** Why the organization can't be read now. */
  readonly failure: EngineError;
  /** Why the repository can't be used now. */
  readonly repositoryFailure: EngineError;
}

export async function makeSessionBench(
  store: Store,
  objects: MemoryObject[],
  groups: Readonly<Record<string, readonly string[]>> = {},
): Promise<SessionBench> {
  const fixture = await makeFixture({}, store);
  const tenant = await aTenant(store);
  const files: MemoryFiles = new Map();
  let texts: TextReader | null = null;
  const memory = makeMemoryTarget(files);
  getValue(await initRepository(memory, tools()));
  const [organization, repository] = [randomUUID(), randomUUID()];
  const now = (): Ms => fixture.context.clock.now();
  const append = (event: Event, entity = 'test:1') =>
    store.tenant(tenant, async (tx) => {
      await tx.append([{ company: 1, entity, event }], { ...byClock, at: now() });
    });
  await store.tenant(tenant, async (tx) => {
    await tx.append([companyDraft(1)], byClock);
  });
  await append({
    type: 'organization.created@1',
    data: { id: organization, company: 1, ...ORGANIZATION },
  });
  const people = () => [
    ...new Map(
      objects.map(({ object: { id, name, address } }) => [id, { id, name, address }]),
    ).values(),
  ];
  const directory: TenantDirectory = {
    people: async () => ({ ok: true, value: people() }),
    members: async (group) => ({
      ok: true,
      value: people().filter(({ id }) => groups[group]?.includes(id)),
    }),
    sites: async () => ({ ok: true, value: [] }),
    groupSite: async () => ({ ok: true, value: null }),
    list: async (kind) => ({
      ok: true,
      value: objects.flatMap(({ object: { kind: own, ...object } }) =>
        own === kind ? [object] : [],
      ),
    }),
  };
  const openTarget = (target: RepositoryTarget) =>
    openRepository(target, { ...tools(makeClock(now())), lock: 'shared' });
  const loadJob = async (id: string): Promise<BackupJobRow> => {
    const row = await store.tenant(tenant, async (tx) =>
      (await tx.rows('backupJob', [id])).get(id),
    );
    if (row === undefined) throw new Error('no job');
    return row;
  };
  const bench: SessionBench = {
    isReadable: true,
    ground: fixture,
    tenant,
    files,
    objects,
    organization,
    repository,
    append,
    job: loadJob,
    async addJob(settings = {}) {
      const id = randomUUID();
      await append({
        type: 'backupjob.created@1',
        data: {
          id,
          company: 1,
          organization,
          repository,
          enabled: true,
          ...JOB,
          isFullTextEnabled: settings.isFullTextEnabled ?? false,
          fileVersions: settings.fileVersions ?? 'all',
          backupType: settings.backupType ?? 'EntireOrganization',
          selectedItems: (settings.selectedItems ?? []).map((item) => ({
            ...item,
            parts: [...item.parts],
          })),
          excludedItems: (settings.excludedItems ?? []).map((item) => ({
            ...item,
            parts: [...item.parts],
          })),
          schedulePolicy: settings.schedulePolicy ?? POLICY,
        },
      });
      return id;
    },
    async start(job, reason = 'manual') {
      const row = await loadJob(job);
      const started = await store.tenant(tenant, (tx) =>
        startSession(tx, row, {
          id: randomUUID(),
          point: randomUUID(),
          reason,
          user: null,
          at: now(),
        }),
      );
      return started.ok ? started.value : null;
    },
    stop: (job) => store.tenant(tenant, (tx) => stopSession(tx, job, now())),
    run(session, place = {}) {
      const ports: SessionPorts = {
        openOrganization: async () =>
          place.failure === undefined
            ? { ok: true, value: { sources: [memorySource(objects)], directory } }
            : { ok: false, error: place.failure },
        openRepository: async () =>
          place.repositoryFailure !== undefined
            ? { ok: false, error: place.repositoryFailure }
            : place.open === undefined
              ? openTarget(place.target ?? memory)
              : { ok: true, value: await place.open() },
        texts: (texts ??= makeTextReader(fixture.context)),
      };
      const context = { ...fixture.context, ...(place.store && { store: place.store }) };
      return backupSession(
        context,
        ports,
      )({
        tenant,
        payload: { session },
        now: now(),
        signal: new AbortController().signal,
      });
    },
    open: async () => getValue(await openTarget(memory)),
  };
  const number = countBench();
  const isRead = number <= 2 || number % 10 === 0 || PROOF > 1;
  onTestFinished(async ({ task }) => {
    if (isRead && bench.isReadable && task.result?.state !== 'fail') await readWithRestic(bench);
  });
  return bench;
}

const benches = new Map<string, number>();
/** Counts the benches of a test: of many, restic reads the first two and each tenth. */
function countBench(): number {
  const test = expect.getState().currentTestName ?? '';
  const number = (benches.get(test) ?? 0) + 1;
  benches.set(test, number);
  return number;
}

/** Counts what restic has read: the programs take turns with the points. */
let turns = 0;

/**
 * Each restic finds no error in the repository of a bench. One lists and restores its oldest point
 * and another its newest, both as the index has them.
 */
export async function readWithRestic(bench: SessionBench): Promise<void> {
  const programs = listPrograms();
  if (programs.length === 0) return;
  turns += 1;
  const points = (await loadPoints(bench)).filter(({ complete }) => complete);
  const folder = toFolder(bench.files);
  const place = { folder, password: PASSWORD };
  await expectNoErrors(place);
  const ends = new Set([points[0], points.at(-1)].filter((one) => one !== undefined));
  for (const [n, { id, snapshot }] of [...ends].entries()) {
    const program = programs[(turns + n) % programs.length];
    if (program === undefined) continue;
    const files = await restoreFiles(program, place, snapshot ?? '');
    expect({ version: program.version, items: readRestored(files) }).toEqual({
      version: program.version,
      items: readCopies(await loadCopies(bench, id)),
    });
  }
  rmSync(folder, { recursive: true });
}

/** Returns the object, title and content of each item of restored files, without what Daybook adds. */
const readRestored = (files: Readonly<Record<string, Buffer>>): string[] =>
  Object.entries(files)
    .flatMap(([path, content]) => {
      const [, person, part = ''] = /^\/users\/([^/]+)@example\.com\/([^/]+)\//.exec(path) ?? [];
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (name === '.daybook.jsonl' || content.length === 0) return [];
      const title = name.replace(/( \([\d.]+\))?( ~\d+)?(\.eml)?$/, '');
      return [[part === 'onedrive' ? 'drive' : part, person, title, content.toString()].join('|')];
    })
    .sort();
/** Without items whose content could not be read. */
const readCopies = (copies: Readonly<Record<string, MemoryCopy>>): string[] =>
  Object.entries(copies)
    .flatMap(([name, { items }]) =>
      items
        .filter(({ content }) => content !== '')
        .map(({ title, content }) =>
          [...name.replace(':', '_').split(' '), title, content].join('|'),
        ),
    )
    .sort();

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1);

/** What the index and the repository have of the objects of a restore point, by kind and person. */
export async function loadCopies(
  bench: SessionBench,
  point: string,
): Promise<Record<string, MemoryCopy>> {
  const { ground: fixture, tenant } = bench;
  const repository = await bench.open();
  const stored = await fixture.context.store.tenant(tenant, async (tx) => {
    const objects = await tx.sql
      .selectFrom('object_point as p')
      .innerJoin('backup_object as o', (join) =>
        join.onRef('o.tenant_id', '=', 'p.tenant_id').onRef('o.n', '=', 'p.object_n'),
      )
      .select(['o.n', 'o.kind', 'o.directory_id', 'p.point'])
      .where('p.tenant_id', '=', tenant)
      .where('p.point_id', '=', point)
      .execute();
    return Promise.all(
      objects.map(async (object) => ({
        name: `${object.kind} ${object.directory_id}`,
        folders: await readFolders(tx, object.n, object.point),
        items: await readItems(tx, object.n, object.point, 0, 10_000),
      })),
    );
  });
  const copies: Record<string, MemoryCopy> = {};
  for (const { name, folders, items } of stored) {
    const read = [];
    for (const { key, folder, changeKey, title, at, parts } of items) {
      const bytes = [];
      for (const id of parts.flatMap(({ blobs }) => blobs))
        bytes.push(getValue(await repository.readBlob('data', id)));
      read.push({ key, folder, changeKey, title, at, content: Buffer.concat(bytes).toString() });
    }
    copies[name] = {
      folders: folders
        .map(({ key, parent, name: title }) => ({ key, parent, name: title }))
        .sort(byKey),
      items: read.sort(byKey),
    };
  }
  await repository.close();
  return copies;
}

/** What the tenant has, in the same form. */
export const copiesNow = (objects: readonly MemoryObject[]): Record<string, MemoryCopy> =>
  Object.fromEntries(
    objects.map((memory) => [`${memory.object.kind} ${memory.object.id}`, memory.copy()]),
  );

/** Every file of a snapshot by its path, and the lines that Daybook keeps beside them. */
export async function loadFiles(
  repository: Repository,
  tree: string,
  path = '',
): Promise<{ readonly files: Map<string, string>; readonly lines: string[]; largest: number }> {
  const nodes = getValue(await repository.readTree(tree));
  const files = new Map<string, string>();
  const lines: string[] = [];
  let largest = nodes.length;
  for (const node of nodes) {
    if (node.kind === 'dir') {
      const below = await loadFiles(repository, node.subtree, `${path}/${node.name}`);
      for (const [name, text] of below.files) files.set(name, text);
      lines.push(...below.lines);
      largest = Math.max(largest, below.largest);
    }
    if (node.kind !== 'file') continue;
    const bytes = [];
    for (const id of node.content) bytes.push(getValue(await repository.readBlob('data', id)));
    const text = Buffer.concat(bytes).toString();
    if (node.name === '.daybook.jsonl') lines.push(...text.trim().split('\n'));
    else files.set(`${path}/${node.name}`, text);
  }
  return { files, lines, largest };
}

/** Adds the repository of the bench to its provider. */
export async function createRepositoryRow(
  bench: SessionBench,
  retention: Partial<Pick<BackupRepositoryRow, 'retentionType' | 'retentionPolicy'>> = {},
): Promise<void> {
  const { ground: fixture, tenant, repository, organization } = bench;
  await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .insertInto('repository_access')
      .values({
        tenant_id: tenant,
        repository_id: repository,
        sealed: 'of a test',
        at: fixture.context.clock.now(),
        verified_at: null,
      })
      .execute(),
  );
  await bench.append({
    type: 'backuprepository.created@1',
    data: {
      id: repository,
      company: 1,
      organization,
      target: { type: 'Folder' },
      name: 'Saltmarsh',
      description: '',
      passwordDescription: '',
      retentionType: 'SnapshotBased',
      retentionPolicy: 'Year1',
      shortened: null,
      proxy: null,
      deletesAt: null,
      ...retention,
    },
  });
}

/** Runs a session of a job to its end, and returns its restore point. */
export async function backUp(bench: SessionBench, job: string, open = bench.open): Promise<string> {
  const session = (await bench.start(job)) ?? '';
  for (let runs = 0; runs < 20; runs += 1) {
    const next = await bench.run(session, { open });
    if (next === null) break;
    bench.ground.pass(Math.max(1, next - bench.ground.context.clock.now()));
  }
  const point = (await loadPoints(bench)).find(({ session_id }) => session_id === session);
  if (point?.complete !== true) throw new Error('The session made no restore point.');
  return point.id;
}

export const loadPoints = ({ ground: fixture, tenant }: SessionBench) =>
  fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('restore_point')
      .select(['id', 'session_id', 'complete', 'snapshot'])
      .where('tenant_id', '=', tenant)
      .orderBy('at')
      .execute(),
  );

/** Runs the clean-up as the server does, without its own long waits. */
export function runCleanUp(
  bench: SessionBench,
  target: RepositoryTarget = makeMemoryTarget(bench.files),
) {
  const { ground: fixture, tenant, repository } = bench;
  return cleanUp(withoutWaits(bench), async () => ({
    ok: true,
    value: { target, password: PASSWORD },
  }))({
    tenant,
    payload: { repository },
    now: fixture.context.clock.now(),
    signal: new AbortController().signal,
  });
}
/** The context of a server in which short waits are over at once. */
export const withoutWaits = ({ ground: { context } }: SessionBench): AppContext => ({
  ...context,
  clock: { ...context.clock, after: soon },
});

function soon(ms: Ms, work: () => void) {
  if (ms > 1_000) return { cancel: () => undefined };
  const timer = setImmediate(work);
  return { cancel: () => clearImmediate(timer) };
}

/** A target whose process dies at a write. */
export function crashing(bench: SessionBench, at: number): RepositoryTarget {
  const memory = makeMemoryTarget(bench.files);
  let writes = 0;
  const isDead = (): boolean => {
    writes += 1;
    return writes > at;
  };
  return {
    ...memory,
    write: async (type, name, bytes) =>
      type !== 'locks' && isDead() ? failed('internal', 'crash') : memory.write(type, name, bytes),
    remove: async (type, name) =>
      type !== 'locks' && isDead() ? failed('internal', 'crash') : memory.remove(type, name),
  };
}
