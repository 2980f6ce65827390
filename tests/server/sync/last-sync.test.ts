import { assert, asyncProperty, array, constantFrom } from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ROLES } from '#contract/abilities.ts';
import type { Role } from '#contract/abilities.ts';
import type { Bootstrap, EventsPage, LastSync, SyncedSources } from '#contract/sync/calls.ts';
import { ask, login, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from './fixtures.ts';
import type { Asker, Office } from './fixtures.ts';
import { aFailingConnection } from './scope-fixtures.ts';

/**
 * Section 6 of the specification: who has the dashboard; sources and the admin dashboard are
 * administrators' work.
 */
const MAY_READ: Readonly<Record<Role, boolean>> = {
  'admin': true,
  'read-only': true,
  'operator': true,
  'super-admin': true,
  'o365_admin': false,
  'sub-sp': false,
};
/** Who may open the pages of sources and connections. */
const MAY_MEND: readonly Role[] = ['admin', 'super-admin'];

const NEVER = { status: 'NEVER', at: null, failed: [], sources: [] };

let fixture: Fixture;

const loadLastSync = async (who: Asker): Promise<LastSync> =>
  (await who<LastSync>('GET', 'sync/last-sync')).body.data;
const booted = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const pulled = async (
  who: Asker,
  { cursor, epoch }: Pick<Bootstrap, 'cursor' | 'epoch'>,
  tag: string,
): Promise<SyncedSources | undefined> =>
  (
    await who<EventsPage>(
      'GET',
      `sync/events?protocol=2&after=${cursor}&epoch=${epoch}&sources=${tag}`,
    )
  ).body.data.sources;

/** What an open stream of a new user is sent. */
const loadLines = async (
  office: Office,
  name: string,
  roles: readonly Role[],
): Promise<{ readonly lines: string[]; stop(): Promise<void> }> => {
  await office.as(name, roles);
  const { token } = (await login(office.app, office.host, name)).body.data;
  const answer = await office.app.request(
    '/api/v1/sync/stream',
    { headers: { host: office.host, authorization: `Bearer ${token}` } },
    { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
  );
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const lines: string[] = [];
  void (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      lines.push(new TextDecoder().decode(read.value));
  })();
  return { lines, stop: () => reader.cancel() };
};
const pokes = ({ lines }: { readonly lines: readonly string[] }): number =>
  lines.filter((line) => line.includes('"sources"')).length;

eachDatabase((kind, open) => {
  let office: Office;
  let keeper: Asker;
  let secret = '';
  let connection = '';
  let ownConnection = '';
  const post = (key: string, body: unknown) =>
    ask(office.app, '/api/v1/ingest/executions', {
      method: 'POST',
      host: office.host,
      token: key,
      body,
    });
  const fails = (id: string, count: number): Promise<unknown> =>
    fixture.context.store.tenant(office.tenant, ({ sql }) =>
      sql
        .updateTable('collection')
        .set(
          count === 0
            ? { fails: 0, error: null, error_at: null, succeeded_at: fixture.context.clock.now() }
            : { fails: count, error: 'HTTP 500', error_at: fixture.context.clock.now() },
        )
        .where('tenant_id', '=', office.tenant)
        .where('connection_id', '=', id)
        .execute(),
    );
  const enable = (id: string, enabled: boolean): Promise<unknown> =>
    fixture.context.store.tenant(office.tenant, ({ sql }) =>
      sql
        .updateTable('connection')
        .set({ enabled, changed_at: fixture.context.clock.now() })
        .where('tenant_id', '=', office.tenant)
        .where('id', '=', id)
        .execute(),
    );
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    'a key posts what cannot be read': () => post(secret, [{ nonsense: true }]),
    'a key posts a result': () =>
      post(secret, [failure('files', new Date(fixture.context.clock.now()).toISOString())]),
    'a collector fails': () => fails(connection, 1),
    'a collector reads again': () => fails(connection, 0),
    'the connection of a company fails': () => fails(ownConnection, 2),
    'the connection of a company is switched off': () => enable(ownConnection, false),
    'and on': () => enable(ownConnection, true),
    'time passes': async () => {
      fixture.pass(61_000);
    },
  };

  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    office = await anOffice(fixture);
    keeper = await office.as('sources-keeper', ['admin']);
    ({ secret } = (
      await keeper<{ secret: string }>('POST', 'monitoring/sources', {
        name: 'restic key',
        companyN: 1,
        tool: 'api',
      })
    ).body.data);
    connection = await aFailingConnection(fixture, office.tenant, 'HTTP 500', null);
    ownConnection = await aFailingConnection(fixture, office.tenant, 'HTTP 500', 1);
    await post(secret, [{ nonsense: true }]);
  });

  test(`SYNC-14: for each role and scope a device has what the call answers, and nothing if the role may not read it (${kind})`, async () => {
    for (const role of ROLES)
      for (const companies of [null, [1], [2]]) {
        const name = `r-${role}-${companies?.join('') ?? 'all'}`;
        const who = await office.as(name, [role], companies);
        const answer = await loadLastSync(who);
        const start = await booted(who);
        if (!MAY_READ[role]) {
          expect([name, answer, start.sources, await pulled(who, start, '')]).toEqual([
            name,
            NEVER,
            null,
            undefined,
          ]);
          continue;
        }
        expect([name, start.sources]).toEqual([
          name,
          { ...answer, tag: start.sources?.tag, asOf: fixture.context.clock.now() },
        ]);
        expect([name, await pulled(who, start, '')]).toEqual([name, start.sources]);
        // The whole provider's connection is for who sees all companies, those of a company for who
        // sees that one.
        expect([
          name,
          answer.failed
            .map(
              ({ kind: of, name: source, company }) =>
                `${of} ${source.slice(0, 6)} ${company ?? 'none'}`,
            )
            .toSorted(),
        ]).toEqual([
          name,
          companies === null
            ? [
                'connection Server Calloway Freight',
                'connection Server none',
                'key restic Calloway Freight',
              ]
            : companies[0] === 1
              ? ['connection Server Calloway Freight', 'key restic Calloway Freight']
              : [],
        ]);
        expect([
          name,
          answer.failed.every(({ id }) => (id !== null) === MAY_MEND.includes(role)),
        ]).toEqual([name, true]);
      }
  });

  test(`SYNC-14: whatever happens to sources, a device that pulls has what the call answers, and unchanged data is not sent again (${kind})`, async () => {
    const readers: { readonly name: string; tag: string; has: LastSync }[] = [];
    for (const [name, roles, companies] of [
      ['p-all', ['operator'], null],
      ['p-one', ['read-only'], [1]],
      ['p-two', ['admin'], [2]],
    ] as const) {
      const { sources } = await booted(await office.as(name, roles, companies));
      if (sources === null) throw new Error('no sources');
      readers.push({ name, tag: sources.tag, has: sources });
    }
    await assert(
      asyncProperty(
        array(constantFrom(...Object.keys(steps)), { minLength: 1, maxLength: 6 }),
        async (story) => {
          for (const step of story) await steps[step]?.();
          for (const reader of readers) {
            // A session ends after ten minutes of the clock, which some stories together exceed.
            const who = await office.signIn(reader.name);
            const page = async (): Promise<SyncedSources | undefined> => {
              const { cursor, epoch } = await booted(who);
              return pulled(who, { cursor, epoch }, reader.tag);
            };
            const next = await page();
            const answer = await loadLastSync(who);
            if (next) {
              const { tag, asOf: _, ...has } = next;
              Object.assign(reader, { tag, has });
            }
            const { tag: _tag, asOf: _asOf, ...device } = reader.has as SyncedSources;
            // The tag rounds times to the minute, so a time alone does not make a new version.
            expect(byMinute(device)).toEqual(byMinute(answer));
            expect(await page()).toBeUndefined();
          }
        },
      ),
      { numRuns: 8 * Number(process.env['PROOF'] ?? 1) },
    );
  });

  test(`SYNC-14: open streams signal a source that fails or recovers only to users who may read it (${kind})`, async () => {
    await Promise.all([fails(connection, 0), fails(ownConnection, 0), post(secret, [])]);
    fixture.pass(2_000);
    const [reader, stranger] = [
      await loadLines(office, 's-reader', ['operator']),
      await loadLines(office, 's-stranger', ['o365_admin']),
    ];
    await expect.poll(() => reader.lines.length, { timeout: 60_000 }).toBeGreaterThan(0);
    for (const [count, expected] of [
      [1, 1],
      [0, 2],
    ] as const) {
      await fails(connection, count);
      await expect
        .poll(
          () => {
            fixture.pass(2_000);
            return pokes(reader);
          },
          { timeout: 60_000 },
        )
        .toBeGreaterThanOrEqual(expected);
    }
    expect(pokes(stranger)).toBe(0);
    await Promise.all([reader.stop(), stranger.stop()]);
  });
});

const floor = (at: number | null): number | null => (at === null ? null : Math.floor(at / 60_000));
const byMinute = ({ at, sources, ...rest }: LastSync): object => ({
  ...rest,
  at: floor(at),
  sources: sources.map((one) => ({ ...one, at: floor(one.at) })),
});
