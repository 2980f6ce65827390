import { inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventsPage, PushedPage } from '#contract/sync/calls.ts';
import { PUSHED_PAGE } from '#contract/sync/calls.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { makePagePokes } from '#server/platform/sync/event-pages.ts';
import { eachDatabase } from '../db/databases.ts';
import { login, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { manualClock } from '../jobs/fixtures.ts';
import { anOffice, failure } from './fixtures.ts';
import type { Asker, Office } from './fixtures.ts';

const PATIENT = { timeout: 60_000 };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface HeadPoke {
  readonly kind: string;
  readonly head: number;
  readonly epoch: string;
  readonly page?: PushedPage;
  readonly packed?: string;
}
interface Reader {
  readonly name: string;
  readonly ask: Asker;
  readonly pokes: HeadPoke[];
  text: string;
  isClosed: boolean;
}

/** The page of a poke, as the contract describes it. */
const getPage = ({ page, packed }: HeadPoke): PushedPage | null =>
  packed === undefined
    ? (page ?? null)
    : (JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as PushedPage);

const getHead = ({ text }: Reader): number =>
  Math.max(0, ...[...text.matchAll(/"head","head":(\d+)/g)].map(([, head]) => Number(head)));

eachDatabase((kind, open) => {
  let fixture: Fixture;
  let clock: ReturnType<typeof manualClock>;
  let office: Office;
  beforeEach(async () => {
    const plain = await makeFixture({}, await open());
    clock = manualClock(plain);
    fixture = { ...plain, context: { ...plain.context, clock } };
    office = await anOffice(fixture);
    ends.push(() => {
      clock.release();
    });
  });

  const openStream = async (name: string, asker: Asker, query = '?protocol=2'): Promise<Reader> => {
    const { token } = (await login(office.app, office.host, name)).body.data;
    const answer = await office.app.request(
      `/api/v1/sync/stream${query}`,
      { headers: { host: office.host, authorization: `Bearer ${token}` } },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    );
    const stream = (answer.body as ReadableStream<Uint8Array>).getReader();
    ends.push(() => stream.cancel());
    const reader: Reader = { name, ask: asker, pokes: [], text: '', isClosed: false };
    void (async () => {
      for (let read = await stream.read(); !read.done; read = await stream.read()) {
        const text = new TextDecoder().decode(read.value);
        reader.text += text;
        for (const line of text.split('\n'))
          if (line.startsWith('data: ')) reader.pokes.push(JSON.parse(line.slice(6)) as HeadPoke);
      }
      reader.isClosed = true;
    })();
    return reader;
  };
  const readHead = async (): Promise<number> =>
    (await fixture.context.store.tenant(office.tenant, (tx) => tx.head(), { readOnly: true })).seq;
  async function hasHeard(readers: readonly Reader[]): Promise<void> {
    const head = await readHead();
    let passedMs = 0;
    const behind = (): number => {
      // The pause after a look in a few steps, but less than a tick.
      if (passedMs < 500) {
        fixture.pass(10);
        passedMs += 10;
      }
      clock.fire();
      return readers.filter((one) => getHead(one) < head).length;
    };
    await expect.poll(behind, PATIENT).toBe(0);
  }

  test(`SYNC-9, SYNC-23: pokes carry no events for a client that doesn't ask for their current names (${kind})`, async () => {
    const asker = await office.as('mara', ['operator'], null);
    const [current, former, unnamed] = [
      await openStream('mara', asker),
      await openStream('mara', asker, '?protocol=1'),
      await openStream('mara', asker, ''),
    ];
    const all = [current, former, unnamed];
    await hasHeard(all);
    await office.post(1, [failure('one', '2026-03-02T05:00:00Z')]);
    await hasHeard(all);
    expect(all.map(({ pokes }) => pokes.some((poke) => getPage(poke) !== null))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test(`SYNC-23: a poke carries exactly what sync/events returns to its user (${kind})`, async () => {
    const people: Reader[] = [];
    for (const [name, roles, companies] of [
      ['mara', ['operator'], null],
      ['max', ['operator'], null],
      ['nils', ['read-only'], null],
      ['olga', ['operator'], [1]],
      ['pia', ['read-only'], [2]],
      ['quin', ['admin'], null],
      ['rosa', ['super-admin'], null],
    ] as const)
      people.push(await openStream(name, await office.as(name, roles, companies)));
    await hasHeard(people);
    let pages = 0;
    const compare = async (): Promise<void> => {
      await hasHeard(people);
      for (const { name, ask, pokes } of people)
        for (const poke of pokes.splice(0)) {
          const page = getPage(poke);
          if (page === null) continue;
          pages += 1;
          const answer = await ask<EventsPage>(
            'GET',
            `sync/events?after=${page.after}&epoch=${poke.epoch}&limit=${page.cursor - page.after}&protocol=2`,
          );
          expect([name, poke.head, page.cursor]).toEqual([
            name,
            page.cursor,
            answer.body.data.cursor,
          ]);
          expect(poke.epoch).toBe(answer.body.data.epoch);
          expect(page.events).toEqual(answer.body.data.events);
          expect(page.causes).toEqual(answer.body.data.causes);
        }
    };
    await office.post(1, [failure('one', '2026-03-02T05:00:00Z')]);
    await compare();
    await office.post(
      2,
      Array.from({ length: 8 }, (_, n) => failure(`two-${n}`, '2026-03-02T05:00:00Z')),
    );
    await compare();
    const [mara, max] = people as [Reader, Reader];
    const { problems, me } = (
      await mara.ask<{ problems: { lastRun: number }[]; me: { id: string } }>(
        'GET',
        'sync/bootstrap',
      )
    ).body.data;
    // What a user sees of this depends on who they are.
    for (const change of [
      () =>
        mara.ask('PUT', `monitoring/backoffice/jobExecutions/${problems[0]?.lastRun}`, {
          change: { kind: 'review', comment: 'checked by hand' },
        }),
      () =>
        max.ask('PUT', 'monitoring/views/7a0c2f3e-5b1d-4c8e-9f10-2233445566aa', {
          name: 'Mine',
          shared: false,
          query: '',
        }),
      () => mara.ask('PUT', `profile/${me.id}/preferences/theme`, { value: '{"mode":"dark"}' }),
    ]) {
      const answer = await change();
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      await compare();
    }
    // Each of the first three changes reached all seven.
    expect(pages).toBeGreaterThanOrEqual(21);
  });

  test(`SYNC-23, SYNC-6: an ended session and changed rights get no events any more, even before the next tick (${kind})`, async () => {
    const people: Reader[] = [];
    for (const name of ['mara', 'nils', 'olga'])
      people.push(await openStream(name, await office.as(name, ['operator'])));
    const [mara, nils, olga] = people as [Reader, Reader, Reader];
    await hasHeard(people);
    await fixture.context.store.tenant(office.tenant, async ({ sql: db, tenant }) => {
      // Neither of these is an event.
      await sql`
        update session set ended_at = 1 from person as p
        where session.tenant_id = ${tenant} and p.tenant_id = ${tenant} and p.id = session.user_id and p.username = 'nils'`.execute(
        db,
      );
      await sql`
        update app_user as u set row = jsonb_set(u.row::jsonb, '{companies}', '[2]')::json
        where u.tenant_id = ${tenant} and u.id = (select p.id::text from person as p where p.tenant_id = ${tenant} and p.username = 'olga')`.execute(
        db,
      );
    });
    await office.post(1, [failure('secret-machine', '2026-03-02T05:00:00Z')]);
    await hasHeard([mara]);
    await expect.poll(() => nils.isClosed && olga.isClosed, PATIENT).toBe(true);
    expect([nils.pokes.at(-1)?.kind, olga.pokes.at(-1)?.kind]).toEqual(['out', 'scope']);
    const readers = people.filter(({ pokes }) =>
      pokes.some((poke) => JSON.stringify(getPage(poke)).includes('secret-machine')),
    );
    expect(readers.map(({ name }) => name)).toEqual(['mara']);
  });

  test(`SYNC-23: more than a poke carries is only announced (${kind})`, async () => {
    const mara = await openStream('mara', await office.as('mara', ['operator']));
    await hasHeard([mara]);
    mara.pokes.length = 0;
    // The first of these cause a look, and the others the one after it.
    const posts = 1 + PUSHED_PAGE.events / 500;
    for (let post = 0; post < posts; post += 1)
      await office.post(
        1,
        Array.from({ length: 500 }, (_, n) =>
          failure(`machine-${post}-${n}`, '2026-03-02T05:00:00Z'),
        ),
      );
    await hasHeard([mara]);
    expect(mara.pokes.map((poke) => getPage(poke) === null)).toContain(true);
  });
});

const session = (more: Partial<Principal>): Principal =>
  ({
    sessionId: crypto.randomUUID(),
    userId: '11111111-1111-4111-8111-111111111111',
    roles: ['operator'],
    companies: null,
    deleted: [],
    mustReset: false,
    ...more,
  }) as unknown as Principal;

test('SYNC-23: sessions with the same rights share one message, but for users whom an event names', () => {
  const named = '22222222-2222-4222-8222-222222222222';
  const pokes = makePagePokes({
    after: 4,
    head: 5,
    epoch: 'e',
    causes: [],
    events: [
      {
        seq: 5,
        at: 1,
        actor: { kind: 'user', id: named },
        subject: null,
        commandId: null,
        company: null,
        entity: 'job:1',
        event: { type: 'job.managed@1', data: {} },
      } as never,
    ],
  });
  const first = pokes.write(session({}));
  const others = [
    session({ userId: '33333333-3333-4333-8333-333333333333' }),
    session({ userId: '44444444-4444-4444-8444-444444444444' }),
  ];
  expect(others.every((one) => pokes.write(one) === first)).toBe(true);
  for (const other of [
    session({ userId: named }),
    session({ roles: ['read-only'] }),
    session({ companies: [1] as never }),
    session({ deleted: [1] as never }),
  ])
    expect(pokes.write(other)).not.toBe(first);
});
