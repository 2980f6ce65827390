import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { logArchive } from '#server/platform/events/archive/archive-job.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, runDraft } from '../db/drafts.ts';
import { type Fixture, makeFixture } from '../http/fixtures.ts';
import { anOffice, type Asker, failure } from '../sync/fixtures.ts';
import { appendAll, archive, readCuts, setSeen, subscribed } from './archived.ts';

const DAY = 86_400_000;
let folder = '';
let fixture: Fixture;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-archive-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const iso = (at: number): string => new Date(at).toISOString();

/** An office whose log is archived up to a number, but for the last result. */
async function anArchivedOffice(): Promise<{
  readonly me: Asker;
  readonly before: Bootstrap;
  readonly cut: number;
  readonly head: number;
  readonly lastAt: number;
  readonly tenant: string;
}> {
  const office = await anOffice(fixture);
  const me = await office.as('ines', ['super-admin', 'operator']);
  await office.post(1, [failure('files', '2026-03-02T02:00:00Z')]);
  const before = (await me<Bootstrap>('GET', 'sync/bootstrap?protocol=2')).body.data;
  fixture.pass(60_000);
  await office.post(1, [failure('sql', '2026-03-02T02:10:00Z')]);
  const { store } = fixture.context;
  await store.tenant(office.tenant, (tx) =>
    tx.append([subscribed], { ...byClock, at: fixture.context.clock.now() }),
  );
  const { seq: cut } = await store.tenant(office.tenant, (tx) => tx.head());
  const lastAt = fixture.context.clock.now();
  await setSeen(store, office.tenant, cut);
  expect(await archive(store, office.tenant, { folder })).toBe(cut);
  fixture.pass(60_000);
  await office.post(1, [failure('mail', '2026-03-02T02:20:00Z')]);
  const { seq: head } = await store.tenant(office.tenant, (tx) => tx.head());
  return { me, before, cut, head, lastAt, tenant: office.tenant };
}

eachDatabase((name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({ archiveDir: folder, archiveAfterDays: 400 }, await open());
  });

  test(`ARCH-2, SYNC-2: a device whose next event is archived loads everything again; one at the cut continues (${name})`, async () => {
    const { me, before, cut, head } = await anArchivedOffice();
    const load = async (after: number): Promise<EventsPage> =>
      (await me<EventsPage>('GET', `sync/events?protocol=2&after=${after}&epoch=${before.epoch}`))
        .body.data;
    const now = (await me<Bootstrap>('GET', 'sync/bootstrap?protocol=2')).body.data;
    expect(now.epoch, 'unchanged days are not loaded again').toBe(before.epoch);
    for (const after of [0, 1, before.cursor, cut - 1]) {
      const page = await load(after);
      expect(page.events).toEqual([]);
      expect([before.epoch, ''], 'a device reloads').not.toContain(page.epoch);
    }
    const page = await load(cut);
    expect(page).toMatchObject({ epoch: before.epoch, cursor: head, more: false });
    expect(page.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: head - cut }, (_, index) => cut + 1 + index),
    );
    expect((await load(head)).epoch).toBe(before.epoch);
  });

  test(`ARCH-2, EVID-1: the event log ends where the archive begins and says so, and evidence of archived times is refused instead of being incomplete (${name})`, async () => {
    const { me, cut, head, lastAt } = await anArchivedOffice();
    const list = async (query = '') =>
      (await me<OutputOf<'listAdminEvents'>>('GET', `admin/events${query}`)).body.data;
    const page = await list();
    expect(page.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: head - cut }, (_, index) => head - index),
    );
    expect([page.next, page.archived]).toEqual([null, cut]);
    expect(await list(`?before=${cut}`)).toMatchObject({ events: [], next: null, archived: cut });
    for (const type of ['company.', 'subscription.'])
      expect(await list(`?type=${type}`)).toMatchObject({ events: [], next: null });
    expect(page.reachesArchive).toBe(true);
    const reaches = async (from: number) => (await list(`?from=${from}`)).reachesArchive;
    const oldest = page.events.at(-1)?.at ?? 0;
    expect([await reaches(lastAt), await reaches(oldest)]).toEqual([true, true]);
    expect(await reaches(oldest + 1)).toBe(false);
    const evidence = (from: number) =>
      me<OutputOf<'listEvidence'>>(
        'GET',
        `monitoring/reporting/evidence?from=${iso(from)}&to=${iso(lastAt + DAY)}`,
      );
    const refused = await evidence(lastAt);
    expect([refused.status, refused.body.message]).toEqual([400, MESSAGES.evidenceArchived]);
    expect((await evidence(lastAt + 1)).status).toBe(200);
  });

  test(`ARCH-2: the history of a problem says until when its changes are archived, unless it begins later (${name})`, async () => {
    const { me, lastAt } = await anArchivedOffice();
    const now = (await me<Bootstrap>('GET', 'sync/bootstrap?protocol=2')).body.data;
    const load = async (job: string) => {
      const n = now.jobs.find((one) => one.name === job)?.n;
      const run = now.problems.find((one) => one.job === n)?.lastRun;
      const path = `monitoring/backoffice/jobExecutions/${run}`;
      const { history, historyArchivedUntil: until } = (await me<Execution>('GET', path)).body.data;
      return { path, history: history.map(({ what }) => what), until };
    };
    expect(await load('mail')).toMatchObject({ history: ['Began'], until: null });
    const files = await load('files');
    expect(files).toMatchObject({ history: [], until: iso(lastAt) });
    await me('PUT', files.path, { change: { kind: 'note', content: 'seen' } });
    expect(await load('files')).toMatchObject({ history: ['Note'], until: iso(lastAt) });
  });

  test(`ARCH-1: the job archives events that are older than configured, in whole files, and does nothing if it is off (${name})`, async () => {
    const { store, clock } = fixture.context;
    const tenant = await aTenant(store);
    const old = clock.now() - 400 * DAY;
    let n = 1;
    const runs = (count: number) => Array.from({ length: count }, () => runDraft({ n: n++ }));
    await appendAll(
      store,
      tenant,
      [[companyDraft(1), jobDraft(1)], runs(9_997), runs(1), runs(5)],
      (index) => old + (index < 3 ? -1 : DAY),
    );
    const job = (archiveAfterDays: number) =>
      logArchive({
        ...fixture.context,
        config: { ...fixture.context.config, archiveAfterDays },
      })({
        tenant,
        payload: null,
        now: clock.now(),
        signal: new AbortController().signal,
      });
    expect(await job(0)).toBe(clock.now() + DAY);
    expect(await job(401)).toBe(clock.now() + DAY);
    expect((await readCuts(store, tenant)).cut).toBe(0);
    expect(await job(400)).toBe(clock.now() + DAY);
    expect(await readCuts(store, tenant)).toMatchObject({
      cut: 10_000,
      parts: [[1, 10_000]],
      events: [10_001, 10_002, 10_003, 10_004, 10_005],
    });
    expect(await readdir(join(folder, tenant))).toHaveLength(1);
    const [verified] = await verify(store, { only: [tenant], archive: folder });
    expect(verified && isSound(verified)).toBe(true);
  });

  test(`ARCH-1: a log is not cut before what its readers have read, nor if they have never read (${name})`, async () => {
    const { store } = fixture.context;
    const tenant = await aTenant(store);
    for (const n of [1, 2, 3])
      await store.tenant(tenant, (tx) => tx.append([runDraft({ n })], byClock));
    expect(await archive(store, tenant, { folder })).toBe(0);
    await setSeen(store, tenant, 3, 0);
    expect(await archive(store, tenant, { folder })).toBe(0);
    await setSeen(store, tenant, 1, 2);
    expect(await archive(store, tenant, { folder })).toBe(1);
    await store.tenant(tenant, ({ sql: db }) =>
      db
        .updateTable('backup_runs_seen')
        .set({ log_seq: 3 })
        .where('tenant_id', '=', tenant)
        .execute(),
    );
    expect(await archive(store, tenant, { folder })).toBe(1);
    expect((await readCuts(store, tenant)).cut).toBe(2);
    expect(existsSync(join(folder, tenant))).toBe(true);
  });
});
