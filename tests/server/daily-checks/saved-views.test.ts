import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';

const TODAY = '2026-03-02';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const booted = async (me: Asker): Promise<Bootstrap> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const key = (order: number, device: string, id: string = randomUUID()): Record<string, string> => ({
  'idempotency-key': id,
  'daybook-device': device,
  'daybook-order': String(order),
});
const said = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.error?.kind,
  body.message,
];
const eventsSince = async (
  me: Asker,
  { epoch, cursor }: Bootstrap,
): Promise<EventsPage['events']> =>
  (await me<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`)).body.data
    .events;

interface View {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
}
const aView = (more: Partial<View> = {}): View => ({
  id: randomUUID(),
  name: 'Mornings',
  query: 'states=Failed',
  shared: false,
  ...more,
});
const save = (
  who: Asker,
  { id, ...rest }: View,
  headers?: Record<string, string>,
): Promise<Answer<{ seq: number }>> => who('PUT', `monitoring/views/${id}`, rest, headers);
const remove = (who: Asker, id: string): Promise<Answer<{ seq: number }>> =>
  who('DELETE', `monitoring/views/${id}`);
const loadNames = async (who: Asker): Promise<string[]> =>
  (await booted(who)).views.map(({ name }) => name).sort();

/**
 * Two who see the whole provider, one who sees the first company, one who looks only. They sign in
 * again after a night.
 */
async function begin() {
  const office = await anOffice(fixture);
  return {
    office,
    dana: await person(office, 'dana', 'operator'),
    max: await person(office, 'max', 'operator'),
    cora: await person(office, 'cora', 'operator', [1]),
    rita: await person(office, 'rita', 'read-only'),
  };
}

const aShift = (more: object = {}): Record<string, unknown> => ({
  id: randomUUID(),
  since: now() - 8 * HOUR,
  at: now(),
  cleared: 3,
  of: 5,
  snoozed: 1,
  open: [],
  ending: [],
  comment: null,
  query: 'review=pending',
  ...more,
});
const theme = (who: Asker, id: string, value: string): Promise<Answer> =>
  who('PUT', `profile/${id}/preferences/theme`, { value });

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test("DESK-1: a saved view belongs to its owner: nobody else changes or removes it, and an unshared one doesn't exist for others", async () => {
    const { dana, max } = await begin();
    const [own, shared] = [aView(), aView({ name: 'All', shared: true })];
    for (const view of [own, shared]) expect((await save(dana, view)).status).toBe(200);
    expect(said(await save(max, { ...shared, name: 'Mine now' }))).toEqual([
      403,
      'forbidden',
      MESSAGES.viewNotOwned,
    ]);
    expect(said(await remove(max, shared.id))).toEqual([403, 'forbidden', MESSAGES.viewNotOwned]);
    expect(said(await remove(max, own.id))).toEqual([404, 'not-found', MESSAGES.notFound]);
    expect(said(await remove(max, randomUUID()))).toEqual([404, 'not-found', MESSAGES.notFound]);
    expect((await save(dana, { ...shared, name: 'All of them' })).status).toBe(200);
    expect(await loadNames(dana)).toEqual(['All of them', 'Mornings']);
    expect([
      (await remove(dana, shared.id)).status,
      (await remove(dana, shared.id)).status,
    ]).toEqual([200, 200]);
    expect([await loadNames(dana), await loadNames(max)]).toEqual([['Mornings'], []]);
    // It comes back where a device that was away saves it.
    await save(dana, shared);
    expect(await loadNames(max)).toEqual(['All']);
  });

  test('DESK-1: a user has a limited number of views; existing ones can be changed, and removing one makes room', async () => {
    const { dana, max } = await begin();
    const all = Array.from({ length: LIMITS.viewsPerUser }, (_, index) =>
      aView({ name: `View ${index}` }),
    );
    for (const view of all) expect((await save(dana, view)).status).toBe(200);
    const one = aView({ name: 'One more' });
    expect(said(await save(dana, one))).toEqual([
      409,
      'conflict',
      MESSAGES.viewsFull({ max: LIMITS.viewsPerUser }),
    ]);
    expect((await save(max, aView())).status).toBe(200);
    expect((await save(dana, { ...(all[0] ?? one), name: 'Renamed' })).status).toBe(200);
    await remove(dana, all[1]?.id ?? '');
    expect((await save(dana, one)).status).toBe(200);
    expect((await booted(dana)).views).toHaveLength(LIMITS.viewsPerUser);
  });

  test('DESK-2: users who see the whole provider share views and see shared ones; of one that is no longer shared, others only learn that it is gone', async () => {
    const { dana, max, cora, rita } = await begin();
    const [devices, view] = [
      [await booted(dana), await booted(max), await booted(cora)] as const,
      aView({ name: 'All', shared: true, query: 'secret=1' }),
    ];
    expect(said(await save(cora, aView({ shared: true })))).toEqual([
      403,
      'forbidden',
      MESSAGES.viewNotShareable,
    ]);
    expect((await save(cora, aView({ name: 'Hers' }))).status).toBe(200);
    await save(dana, { ...view, query: '' });
    expect([await loadNames(max), await loadNames(rita), await loadNames(cora)]).toEqual([
      ['All'],
      ['All'],
      ['Hers'],
    ]);
    await save(dana, { ...view, shared: false });
    expect([await loadNames(dana), await loadNames(max), await loadNames(cora)]).toEqual([
      ['All'],
      [],
      ['Hers'],
    ]);
    const types = await Promise.all(
      [dana, max, cora].map(async (who, index) =>
        (await eventsSince(who, devices[index] ?? devices[0])).map(({ event }) => event.type),
      ),
    );
    expect(types).toEqual([
      ['view.saved@1', 'view.deleted@1', 'view.saved@1'],
      ['view.saved@1', 'view.deleted@1'],
      ['view.saved@1'],
    ]);
    expect(JSON.stringify(await eventsSince(max, devices[1]))).not.toContain('secret=1');
  });

  test('OUT-3: a repeated command gets its first answer and creates nothing; another body under its ID is refused', async () => {
    const { dana } = await begin();
    const device = randomUUID();
    const view = aView();
    const me = (await booted(dana)).me.id;
    const shift = aShift();
    const request: readonly (readonly [string, string, object | undefined, object | undefined])[] =
      [
        [
          'PUT',
          `monitoring/views/${view.id}`,
          { name: view.name, query: '', shared: true },
          { name: 'Other', query: '', shared: true },
        ],
        ['POST', 'monitoring/hand-overs', shift, { ...shift, cleared: 9 }],
        ['PUT', `profile/${me}/preferences/density`, { value: '"dense"' }, { value: '"wide"' }],
        ['DELETE', `monitoring/views/${view.id}`, undefined, undefined],
      ];
    for (const [index, [method, path, body, other]] of request.entries()) {
      const headers = key(index + 1, device);
      const first = await dana<{ seq: number }>(method, path, body, headers);
      expect([path, first.status]).toEqual([path, 200]);
      const { cursor } = await booted(dana);
      expect(first.body.data.seq).toBe(cursor);
      expect((await dana(method, path, body, headers)).text).toBe(first.text);
      if (other)
        expect(said(await dana(method, path, other, headers)).slice(0, 2)).toEqual([
          422,
          'key-reused',
        ]);
      expect((await booted(dana)).cursor).toBe(cursor);
    }
    // Also of a refusal.
    const headers = key(5, device);
    const refused = await remove(dana, randomUUID());
    const first = await dana('DELETE', `monitoring/views/${randomUUID()}`, undefined, headers);
    expect([refused.status, first.status]).toEqual([404, 404]);
    expect(
      said(
        await dana(
          'PUT',
          `monitoring/views/${view.id}`,
          { name: 'x', query: '', shared: false },
          key(3, device),
        ),
      )[1],
    ).toBe('out-of-order');
  });

  test('DESK-3: each hand-over is stored once, in order of arrival; one with the same ID by another user is refused', async () => {
    const { dana, max, cora, rita } = await begin();
    const first = aShift({ comment: 'tape 4 is out' });
    expect((await dana('POST', 'monitoring/hand-overs', first)).status).toBe(200);
    fixture.pass(1_000);
    expect((await max('POST', 'monitoring/hand-overs', aShift({ at: now() - DAY }))).status).toBe(
      200,
    );
    expect(
      (await dana('POST', 'monitoring/hand-overs', { ...first, comment: 'again' })).status,
    ).toBe(200);
    expect(said(await max('POST', 'monitoring/hand-overs', first))).toEqual([
      422,
      'key-reused',
      MESSAGES.handOverTaken,
    ]);
    expect((await rita('POST', 'monitoring/hand-overs', aShift())).status).toBe(403);
    const { shifts, people } = await booted(rita);
    const nameByKey = new Map(people.map(({ id, name }) => [id, name]));
    expect(shifts.map(({ by, comment }) => [nameByKey.get(by), comment])).toEqual([
      ['MAX', null],
      ['DANA', 'tape 4 is out'],
    ]);
    expect((await booted(cora)).shifts).toEqual([]);
  });

  test("DESK-3: a hand-over names no company that its author can't see", async () => {
    const { office, dana, cora } = await begin();
    await office.post(1, [failure('files', `${TODAY}T02:00:00Z`)]);
    await office.post(2, [failure('sql', `${TODAY}T02:00:00Z`)]);
    const runs = (await booted(dana)).problems.map(({ lastRun, company }) => ({
      run: lastRun,
      company,
    }));
    const ending = [...runs.map(({ run }) => run), 4_711].map((run) => ({
      run,
      until: now() + HOUR,
    }));
    await cora(
      'POST',
      'monitoring/hand-overs',
      aShift({
        open: [
          { company: 1, problems: 1 },
          { company: 2, problems: 1 },
        ],
        ending,
      }),
    );
    const [shift] = (await booted(dana)).shifts;
    expect(shift?.open).toEqual([{ company: 1, problems: 1 }]);
    expect(shift?.ending.map(({ run }) => run)).toEqual(
      runs.flatMap(({ run, company }) => (company === 1 ? [run] : [])),
    );
  });

  test('DESK-5: a preference is stored for all devices of its user, and nobody else sets or sees it', async () => {
    const { dana, rita } = await begin();
    const [me, other] = [(await booted(dana)).me.id, (await booted(rita)).me.id];
    expect((await theme(dana, me, '{"mode":"dark"}')).status).toBe(200);
    expect((await theme(rita, other.toUpperCase(), '{"mode":"light"}')).status).toBe(200);
    expect((await theme(dana, me, '{"mode":"system","sidebarMini":true}')).status).toBe(200);
    expect(said(await theme(rita, me, '{"mode":"dark"}'))).toEqual([
      403,
      'forbidden',
      MESSAGES.preferenceNotOwned,
    ]);
    for (const value of ['{', '{"mode":"pink"}', '{"mode":"dark","more":1}', '7'])
      expect([value, ...said(await theme(dana, me, value)).slice(0, 2)]).toEqual([
        value,
        400,
        'bad-input',
      ]);
    expect(
      (await dana('PUT', `profile/${me}/preferences/columns`, { value: '[1,2]' })).status,
    ).toBe(200);
    expect((await dana('PUT', `profile/${me}/preferences/none`, { value: '1' })).status).toBe(400);
    expect(
      (await booted(dana)).preferences
        .map(({ name, value }) => [name, value])
        .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    ).toEqual([
      ['columns', '[1,2]'],
      ['theme', '{"mode":"system","sidebarMini":true}'],
    ]);
    expect((await booted(rita)).preferences.map(({ value }) => value)).toEqual([
      '{"mode":"light"}',
    ]);
  });

  test('DESK-7: a ticket number is linked to one problem or many, replaced, and removed', async () => {
    const { office, dana, rita } = await begin();
    await office.post(
      1,
      Array.from({ length: 3 }, (_, index) => failure(`job-${index}`, `${TODAY}T02:0${index}:00Z`)),
    );
    const ids = (await booted(dana)).problems.map(({ lastRun }) => lastRun);
    const tickets = async (): Promise<(string | null)[]> =>
      (await booted(dana)).problems.map(({ ticket }) => ticket);
    const bulk = (ticket: string | null): Promise<Answer<{ accepted: number }>> =>
      dana('POST', 'monitoring/backoffice/jobExecutions/bulk', {
        ids,
        change: { kind: 'ticket', ticket },
      });
    expect((await bulk('INC-1')).body.data.accepted).toBe(3);
    expect(await tickets()).toEqual(['INC-1', 'INC-1', 'INC-1']);
    await dana('PUT', `monitoring/backoffice/jobExecutions/${ids[0]}`, {
      change: { kind: 'ticket', ticket: ' INC-2 ' },
    });
    expect(await tickets()).toEqual(['INC-2', 'INC-1', 'INC-1']);
    expect(
      (
        await dana<Execution>('GET', `monitoring/backoffice/jobExecutions/${ids[0]}`)
      ).body.data.history.map(({ what, comment }) => [what, comment]),
    ).toEqual([
      ['Ticket', 'INC-2'],
      ['Ticket', 'INC-1'],
      ['Began', null],
    ]);
    await bulk(null);
    expect(await tickets()).toEqual([null, null, null]);
    for (const ticket of ['', ' ', 'x'.repeat(LIMITS.ticketChars + 1)])
      expect((await bulk(ticket)).status).toBe(400);
    expect(
      (
        await rita('POST', 'monitoring/backoffice/jobExecutions/bulk', {
          ids,
          change: { kind: 'ticket', ticket: 'INC-3' },
        })
      ).status,
    ).toBe(403);
  });
});
