import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ComputerOut, RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import { ask, login, makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';

const DAY = 86_400_000;
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const COMPUTERS = 'monitoring/reporting/discovery/computers';
const of = (id: string, what: string): string =>
  `monitoring/backoffice/computers/${encodeURIComponent(id)}/${what}`;
const list = async (who: Asker, path = COMPUTERS): Promise<ComputerOut[]> =>
  (await who<ComputerOut[]>('GET', path)).body.data;
const loadId = async (who: Asker, hostName: string): Promise<string> =>
  (await list(who)).flatMap(({ _id: id, hostName: name }) => (name === hostName ? [id] : []))[0] ??
  'none';
const said = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.error?.kind,
  body.message,
];

/**
 * An office whose people sign in again after days, and that hears of computers and repositories.
 */
async function begin() {
  const office = await anOffice(fixture);
  return {
    office,
    dana: await person(office, 'dana', 'operator'),
    cora: await person(office, 'cora', 'operator', [1]),
    rita: await person(office, 'rita', 'read-only'),
  };
}

async function hear(
  office: Office,
  company: 1 | 2,
  what: 'computers' | 'repositories',
  records: readonly object[],
): Promise<void> {
  const { token } = (await login(office.app, office.host, `keeper-${office.tenant.slice(0, 8)}`))
    .body.data;
  const made = await ask<{ secret: string }>(office.app, '/api/v1/monitoring/sources', {
    method: 'POST',
    host: office.host,
    token,
    body: { name: what, companyN: company, tool: 'api' },
  });
  const answer = await ask<{ rejected: unknown[] }>(office.app, `/api/v1/ingest/${what}`, {
    method: 'POST',
    host: office.host,
    token: made.body.data.secret,
    body: records,
  });
  if (answer.status >= 300 || answer.body.data.rejected.length > 0) throw new Error(answer.text);
}

const ran = (job: string, computer: string, server = ''): object => ({
  job,
  computer,
  ...(server !== '' && { server }),
  status: 'Success',
  startTime: iso(now() - 60_000),
  endTime: iso(now()),
});
const repositories = async (who: Asker): Promise<RepositoryOut[]> =>
  (await who<RepositoryOut[]>('GET', 'monitoring/reporting/repositories')).body.data;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('DESK-6: computers show the number of their jobs, in the companies that the user sees', async () => {
    const { office, dana, cora, rita } = await begin();
    await hear(office, 1, 'computers', [
      {
        hostName: 'SQL1.calloway.example',
        os: 'Debian 13',
        osType: 'linux',
        ipAddresses: ['10.0.0.7'],
      },
      { hostName: 'idle' },
    ]);
    await hear(office, 2, 'computers', [{ hostName: 'sql1' }]);
    await office.post(1, [
      ran('a', 'sql1'),
      ran('b', 'pc', 'sql1.CALLOWAY.example'),
      ran('c', 'sql10'),
    ]);
    await office.post(2, [ran('d', 'sql1')]);
    expect(
      (await list(dana)).map(({ company, hostName, jobs }) => [company, hostName, jobs]),
    ).toEqual([
      [1, 'idle', 0],
      [2, 'sql1', 1],
      [1, 'SQL1.calloway.example', 2],
    ]);
    expect((await list(cora)).map(({ hostName, jobs }) => [hostName, jobs])).toEqual([
      ['idle', 0],
      ['SQL1.calloway.example', 2],
    ]);
    expect(await list(rita)).toEqual(await list(dana));
    expect((await list(cora))[1]).toMatchObject({
      os: 'Debian 13',
      osType: 'linux',
      ipAddresses: ['10.0.0.7'],
      firstSeenAt: now(),
      seenAt: now(),
      note: null,
      ignored: null,
    });
    const nobody = await office.as('nora', ['operator'], []);
    expect(await list(nobody)).toEqual([]);
  });

  test("DESK-6, DASH-8: jobs that only copy, restore or check don't count as jobs of a computer", async () => {
    const { office, dana } = await begin();
    await hear(office, 1, 'computers', [
      { hostName: 'kept' },
      { hostName: 'copied' },
      { hostName: 'restored' },
    ]);
    await office.post(1, [
      { ...ran('a', 'kept'), type: 'Agent' },
      { ...ran('b', 'kept'), type: 'BackupCopy' },
      { ...ran('c', 'copied'), type: 'BackupCopy' },
      { ...ran('d', 'copied'), type: 'SureBackup' },
      { ...ran('e', 'restored'), type: 'Other' },
    ]);
    expect((await list(dana)).map(({ hostName, jobs }) => [hostName, jobs])).toEqual([
      ['copied', 0],
      ['kept', 1],
      ['restored', 0],
    ]);
  });

  test('DESK-6: a period lists computers seen in it; the current list those of the last seven days', async () => {
    const { office, dana } = await begin();
    const begun = now();
    await hear(office, 1, 'computers', [{ hostName: 'old' }]);
    fixture.pass(5 * DAY);
    await hear(office, 1, 'computers', [{ hostName: 'new' }]);
    fixture.pass(3 * DAY);
    const seen = async (more: string): Promise<string[]> =>
      (await list(dana, `${COMPUTERS}${more}`)).map(({ hostName }) => hostName);
    expect(await seen('')).toEqual(['new', 'old']);
    expect(await seen('/current')).toEqual(['new']);
    expect(await seen(`?from=${iso(begun + 1)}`)).toEqual(['new']);
    expect(await seen(`?from=${iso(begun)}&to=${iso(begun + 5 * DAY)}`)).toEqual(['old']);
    expect(await seen(`?to=${iso(begun)}`)).toEqual([]);
    expect((await dana('GET', `${COMPUTERS}?from=yesterday`)).status).toBe(400);
  });

  test("DESK-6: a computer is noted, ignored and restored under its ID, with any characters; another company's doesn't exist", async () => {
    const { office, dana, cora, rita } = await begin();
    const odd = 'weird/name %2F ü?#+.local';
    await hear(office, 1, 'computers', [{ hostName: odd }, { hostName: 'other' }]);
    await hear(office, 2, 'computers', [{ hostName: 'theirs' }]);
    const [id, theirs] = [await loadId(dana, odd), await loadId(dana, 'theirs')];
    const state = async () => (await list(dana)).find(({ _id: own }) => own === id);
    const me = (await dana<{ me: { id: string } }>('GET', 'sync/bootstrap')).body.data.me.id;
    expect((await cora('POST', of(id, 'note'), { note: ' spare part ' })).status).toBe(200);
    expect((await state())?.note).toMatchObject({ content: 'spare part', at: now() });
    expect((await dana('POST', of(id, 'note'), { note: '' })).status).toBe(200);
    expect((await state())?.note).toBeNull();
    expect((await dana('POST', of(id, 'ignore'), {})).status).toBe(200);
    expect((await state())?.ignored).toEqual({ by: me, at: now(), until: null });
    expect((await dana('POST', of(id, 'ignore'), { ignoredUntil: iso(now() + DAY) })).status).toBe(
      200,
    );
    expect((await state())?.ignored?.until).toBe(now() + DAY);
    fixture.pass(DAY);
    expect((await state())?.ignored).toBeNull();
    await dana('POST', of(id, 'ignore'), {});
    expect((await dana('DELETE', of(id, 'ignore'))).status).toBe(200);
    expect((await state())?.ignored).toBeNull();
    expect(
      (await list(dana)).filter(({ note, ignored }) => note !== null || ignored !== null),
    ).toEqual([]);

    expect(said(await dana('POST', of(id, 'ignore'), { ignoredUntil: iso(now()) }))).toEqual([
      400,
      'bad-input',
      MESSAGES.ignoreTooShort,
    ]);
    expect(
      said(
        await dana('POST', of(id, 'ignore'), { ignoredUntil: iso(now() + LIMITS.snoozeMaxMs + 1) }),
      ),
    ).toEqual([400, 'bad-input', MESSAGES.ignoreTooLong]);
    for (const [method, path, body] of [
      ['POST', of(theirs, 'note'), { note: 'x' }],
      ['POST', of(theirs, 'ignore'), {}],
      ['DELETE', of(theirs, 'ignore'), undefined],
    ] as const) {
      expect(said(await cora(method, path, body))).toEqual([404, 'not-found', MESSAGES.notFound]);
      expect((await rita(method, path, body)).status).toBe(403);
    }
    expect((await dana('POST', of('no/such', 'note'), { note: 'x' })).status).toBe(404);
    expect(
      (await dana('POST', of(id, 'note'), { note: 'x'.repeat(LIMITS.noteChars + 1) })).status,
    ).toBe(400);
  });

  test('REPO-1: repositories show their days and when each will be full, in the companies that the user sees', async () => {
    const { office, dana, cora } = await begin();
    const samples = Array.from({ length: 10 }, (_, day) => ({
      name: 'Vault',
      uid: 'v/1',
      capacityBytes: 1_000,
      usedBytes: 100 + 10 * day,
      freeBytes: 900 - 10 * day,
      at: iso(now() - (9 - day) * DAY),
    }));
    await hear(office, 1, 'repositories', samples);
    await hear(office, 2, 'repositories', [
      { name: 'Still', capacityBytes: 1_000, usedBytes: 10, at: iso(now()) },
    ]);
    const all = await repositories(dana);
    expect(
      all
        .map(({ name, company, days, fullAt }) => [name, company, days.length, fullAt])
        .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    ).toEqual([
      ['Still', 2, 1, null],
      ['Vault', 1, 10, now() + 81 * DAY],
    ]);
    const [own] = await repositories(cora);
    expect(own).toEqual(all.find(({ name }) => name === 'Vault'));
    expect(await repositories(cora)).toHaveLength(1);
    expect(own).toMatchObject({
      usedBytes: 190,
      freeBytes: 810,
      capacityBytes: 1_000,
      sampledAt: now(),
    });
    expect(own?.days.at(-1)).toEqual({
      day: iso(now()).slice(0, 10),
      usedBytes: 190,
      capacityBytes: 1_000,
    });
    expect(
      (await (await office.as('adam', ['admin']))('GET', 'monitoring/reporting/repositories'))
        .status,
    ).toBe(403);
  });
});
