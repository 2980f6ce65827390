import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { OfflineCall } from '#contract/calls.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from './fixtures.ts';
import type { Asker } from './fixtures.ts';

const TODAY = '2026-03-02';
const FIRST = randomUUID();
const SECOND = randomUUID(); // two devices
let fixture: Fixture;
interface Changed {
  readonly seq: number;
  readonly accepted: number;
  readonly refused: readonly { run: number; kind: string; message: string }[];
}

const key = (order: number, id: string = randomUUID(), device = FIRST): Record<string, string> => ({
  'idempotency-key': id,
  'daybook-device': device,
  'daybook-order': String(order),
});
const loadRuns = async (me: Asker): Promise<number[]> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data.problems.map(({ lastRun }) => lastRun);
const loadHead = async (me: Asker): Promise<number> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data.cursor;
const path = (run: number | undefined): string => `monitoring/backoffice/jobExecutions/${run}`;
const review = { change: { kind: 'review', comment: null } };

async function begin(jobs: number) {
  const office = await anOffice(fixture);
  const [me, other] = [await office.as('dana', ['operator']), await office.as('max', ['operator'])];
  await office.post(
    1,
    Array.from({ length: jobs }, (_, i) => failure(`job-${i}`, `${TODAY}T0${i % 9}:00:00Z`)),
  );
  return { office, me, other, runs: await loadRuns(me) };
}

const snoozed = (until: number, reason = 'new rack'): object => ({
  change: { kind: 'snooze', until, reason },
});

/** Two devices of one user send one of these each, in both orders. */
interface Conflict {
  readonly method: string;
  readonly path: string;
  /** What each sends. */
  readonly bodies: readonly [first: object | undefined, second: object | undefined];
  /** What every device shows at the end, of what has arrived last. */
  readonly loadEnd: (begun: Bootstrap, last: object | undefined) => readonly [unknown, unknown];
}

const note = (content: string): object => ({ change: { kind: 'note', content } });

/** By the rule that each call names (`offline`); jobs of backups have a test of their own. */
const getConflicts = (
  me: string,
  run: number | undefined,
): Readonly<Record<Exclude<OfflineCall, 'enableBackupJob' | 'disableBackupJob'>, Conflict>> => {
  const [view, gone] = [randomUUID(), randomUUID()];
  const saved = { name: 'Mine', query: 'a=b', shared: false };
  const shift = {
    since: 1,
    at: 2,
    of: 1,
    snoozed: 0,
    open: [],
    ending: [],
    query: '',
    comment: null,
  };
  const loadNote = (begun: Bootstrap, last: object | undefined): readonly [unknown, unknown] => [
    begun.problems.find(({ lastRun }) => lastRun === run)?.note?.content,
    (last as { change: { content: string } }).change.content,
  ];
  return {
    pinCompany: {
      method: 'PUT',
      path: `profile/${me}/pinned-companies/1`,
      bodies: [{ pinned: true }, { pinned: false }],
      loadEnd: ({ pins }, last) => [
        pins.some(({ pinned }) => pinned),
        (last as { pinned: boolean }).pinned,
      ],
    },
    prefer: {
      method: 'PUT',
      path: `profile/${me}/preferences/density`,
      bodies: [{ value: '"dense"' }, { value: '"wide"' }],
      loadEnd: ({ preferences }, last) => [
        preferences.find(({ name }) => name === 'density')?.value,
        (last as { value: string }).value,
      ],
    },
    saveView: {
      method: 'PUT',
      path: `monitoring/views/${view}`,
      bodies: [saved, { ...saved, name: 'Ours' }],
      loadEnd: ({ views }, last) => [
        views.find(({ id }) => id === view)?.name,
        (last as { name: string }).name,
      ],
    },
    removeView: {
      method: 'DELETE',
      path: `monitoring/views/${gone}`,
      bodies: [undefined, undefined],
      loadEnd: ({ views }) => [views.some(({ id }) => id === gone), false],
    },
    endShift: {
      method: 'POST',
      path: 'monitoring/hand-overs',
      bodies: [
        { ...shift, id: randomUUID(), cleared: 1 },
        { ...shift, id: randomUUID(), cleared: 2 },
      ],
      loadEnd: ({ shifts }) => [
        shifts.map(({ cleared }) => cleared).toSorted((a, b) => a - b),
        [1, 2],
      ],
    },
    changeExecution: {
      method: 'PUT',
      path: path(run),
      bodies: [note('one'), note('two')],
      loadEnd: loadNote,
    },
    changeExecutions: {
      method: 'POST',
      path: 'monitoring/backoffice/jobExecutions/bulk',
      bodies: [
        { ids: [run], ...note('three') },
        { ids: [run], ...note('four') },
      ],
      loadEnd: loadNote,
    },
  };
};

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('OUT-3, G2: the same command again gets the stored answer and creates nothing; another body under its ID is refused', async () => {
    const {
      me,
      runs: [run],
    } = await begin(1);
    const headers = key(1);
    const first = await me<Changed>('PUT', path(run), review, headers);
    expect(first.body.data).toMatchObject({ accepted: 1, refused: [] });
    const head = await loadHead(me);
    expect((await me<Changed>('PUT', path(run), review, headers)).text).toBe(first.text);
    expect(await loadHead(me)).toBe(head);
    const changed = await me(
      'PUT',
      path(run),
      { change: { kind: 'review', comment: 'other words' } },
      headers,
    );
    expect([changed.status, changed.body.error.kind]).toEqual([422, 'key-reused']);
    const late = await me('PUT', path(run), { change: { kind: 'reopen' } }, key(1));
    expect([late.status, late.body.error.kind]).toEqual([409, 'out-of-order']);
  });

  test.each([0, 1])(
    'OUT-6, G9: of every call that is sent offline, two devices in either order end as its rule says: order %i',
    async (order) => {
      const {
        me,
        runs: [run],
      } = await begin(1);
      const { id } = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data.me;
      let sent = 0;
      for (const [name, conflict] of Object.entries(getConflicts(id, run))) {
        sent += 1;
        const bodies = order === 0 ? conflict.bodies : conflict.bodies.toReversed();
        if (name === 'removeView')
          await me('PUT', conflict.path, { name: 'Old', query: 'a=b', shared: false });
        const statuses: number[] = [];
        for (const [at, body] of bodies.entries()) {
          const headers = key(sent, randomUUID(), at === 0 ? FIRST : SECOND);
          statuses.push((await me(conflict.method, conflict.path, body, headers)).status);
        }
        expect([name, statuses]).toEqual([name, [200, 200]]);
        const begun = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
        const [found, expected] = conflict.loadEnd(begun, bodies[1]);
        expect([name, found]).toEqual([name, expected]);
      }
    },
  );

  test('OUT-3, G2: a command sent many times at once runs once', async () => {
    const {
      me,
      runs: [run],
    } = await begin(1);
    const headers = key(1);
    const before = await loadHead(me);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => me<Changed>('PUT', path(run), review, headers)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await loadHead(me)).toBe(before + 1);
  });

  test('OUT-5, OUT-6, G9: the first review counts and the second is told by whom; the refusal is stored under its ID', async () => {
    const {
      me,
      other,
      runs: [run],
    } = await begin(1);
    await me('PUT', path(run), review, key(1));
    const headers = key(1, randomUUID(), SECOND);
    const second = await other('PUT', path(run), review, headers);
    expect([second.status, second.body.error.kind, second.body.message]).toEqual([
      409,
      'conflict',
      'DANA already reviewed this.',
    ]);
    await me('PUT', path(run), { change: { kind: 'reopen' } }, key(2));
    expect((await other('PUT', path(run), review, headers)).text).toBe(second.text);
    expect((await other('PUT', path(run), review, key(2, randomUUID(), SECOND))).status).toBe(200);
  });

  test('OUT-6, G9: of two notes the later to arrive counts', async () => {
    const {
      me,
      other,
      runs: [run],
    } = await begin(1);
    await me('PUT', path(run), { change: { kind: 'note', content: 'first' } });
    await other('PUT', path(run), { change: { kind: 'note', content: 'second' } });
    const execution = (await me<Execution>('GET', path(run))).body.data;
    expect(execution.note?.content).toBe('second');
    expect(
      execution.history
        .filter(({ what }) => what === 'Note')
        .map(({ who, comment }) => [who, comment]),
    ).toEqual([
      ['MAX', 'second'],
      ['DANA', 'first'],
    ]);
  });

  test("OUT-5: a bulk change does what it can and lists what it couldn't", async () => {
    const { me, other, runs } = await begin(5);
    await other('PUT', path(runs[0]), review);
    const {
      body: { data },
    } = await me<Changed>(
      'POST',
      'monitoring/backoffice/jobExecutions/bulk',
      { ids: [...runs, 77_777], change: { kind: 'review', comment: 'one cause' } },
      key(1),
    );
    expect(data.accepted).toBe(4);
    expect(data.refused.map(({ run, kind }) => [run, kind])).toEqual([
      [runs[0], 'conflict'],
      [77_777, 'not-found'],
    ]);
    expect((await me<Execution>('GET', path(runs[1]))).body.data).toMatchObject({
      state: 'cleared',
      history: [{ who: 'DANA', what: 'Reviewed', comment: 'one cause' }, { what: 'Began' }],
    });
  });

  test('RUN-6: a review and its note continue with the same failure, and end with a success', async () => {
    const {
      office,
      me,
      runs: [run],
    } = await begin(1);
    await me('PUT', path(run), review);
    await office.post(1, [failure('job-0', `${TODAY}T06:00:00Z`)]);
    const [again] = await loadRuns(me);
    expect(again).not.toBe(run);
    expect((await me<Execution>('GET', path(again))).body.data).toMatchObject({
      state: 'cleared',
      problem: { runs: 2 },
    });
    await office.post(1, [
      failure('job-0', `${TODAY}T06:30:00Z`, { status: 'Success', message: null }),
    ]);
    await office.post(1, [failure('job-0', `${TODAY}T06:45:00Z`)]);
    const fresh = (await loadRuns(me)).at(-1);
    expect((await me<Execution>('GET', path(fresh))).body.data).toMatchObject({
      state: 'pending',
      problem: { runs: 1 },
    });
  });

  test('RUN-6: a snooze ends on its date, must end, and needs a reason', async () => {
    const {
      me,
      runs: [run],
    } = await begin(1);
    const now = fixture.context.clock.now();
    expect((await me('PUT', path(run), snoozed(now - 1))).status).toBe(400);
    expect((await me('PUT', path(run), snoozed(now + 400 * 86_400_000))).status).toBe(400);
    expect((await me('PUT', path(run), snoozed(now + 60_000, ' '))).status).toBe(400);
    expect((await me('PUT', path(run), snoozed(now + 60_000))).status).toBe(200);
    expect((await me<Execution>('GET', path(run))).body.data).toMatchObject({
      state: 'snoozed',
      ignoredReason: 'new rack',
    });
    fixture.pass(61_000);
    expect((await me<Execution>('GET', path(run))).body.data.state).toBe('pending');
  });

  test('G29: users who may only read are refused, and nothing happens', async () => {
    const {
      office,
      me,
      runs: [run],
    } = await begin(1);
    const reader = await office.as('rita', ['read-only']);
    const head = await loadHead(me);
    expect((await reader('PUT', path(run), review)).status).toBe(403);
    expect((await reader<Execution>('GET', path(run))).status).toBe(200);
    expect(await loadHead(me)).toBe(head);
  });

  test('SYNC-9, LOG-10, G10: devices of the version before, and programs, get rows and events and send changes under their former names', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('nora', ['operator']);
    const schedule = { type: 'every', everySec: 3_600 };
    await office.post(1, [failure('files', `${TODAY}T02:00:00Z`, { schedule })]);
    const begun = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    const before = (await me<Bootstrap>('GET', 'sync/bootstrap?protocol=1')).body.data;
    expect([begun.jobs[0]?.schedule, before.jobs[0]?.schedule]).toMatchObject([
      schedule,
      { is: 'every', everySec: 3_600 },
    ]);
    expect([begun.me, before.me]).toMatchObject([{ impersonator: null }, { acting: null }]);
    const run = begun.problems[0]?.lastRun;
    for (const change of [
      { kind: 'snooze', until: Date.parse(`${TODAY}T23:00:00Z`), reason: 'later' },
      { is: 'wake' },
    ])
      expect(
        (await me('PUT', `monitoring/backoffice/jobExecutions/${run}`, { change })).status,
      ).toBe(200);
    const listTypes = async (protocol: string): Promise<string[]> =>
      (
        await me<EventsPage>(
          'GET',
          `sync/events?after=${begun.cursor}&epoch=${begun.epoch}${protocol}`,
        )
      ).body.data.events.map(({ event }) => event.type);
    expect(await listTypes('&protocol=2')).toEqual(['problem.snoozed@1', 'problem.unsnoozed@1']);
    expect(await listTypes('&protocol=1')).toEqual(['problem.snoozed@1', 'problem.woken@1']);
    expect(await listTypes('')).toEqual(['problem.snoozed@1', 'problem.woken@1']);
  });
});
