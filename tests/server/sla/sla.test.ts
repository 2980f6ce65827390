import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { SlaOut, SlaReport } from '#contract/sla/calls.ts';
import type { SlaFields } from '#contract/sla/sla.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';
import { slaTicks } from '../jobs/ticks.ts';

const HOUR = 3_600_000;
const SAVE = 'monitoring/reporting/save-sla-alarm';
const ALL = 'monitoring/reporting/get-all-sla-alarm';
const REPORT = 'monitoring/reporting/sla-report';
let fixture: Fixture;
const iso = (ms: number): string => new Date(ms).toISOString();
const now = (): number => fixture.context.clock.now();

const EVERYTHING = { companyIds: [], source: [], type: [], entityGroup: [] } as const;
const anAlarm = (more: Partial<SlaFields> = {}): SlaFields => ({
  name: 'Nightly',
  enabled: true,
  job: null,
  group: { ...EVERYTHING, companyIds: [], source: [], type: [], entityGroup: [] },
  maxAgeHours: 26,
  minSuccessPct: null,
  windowDays: 7,
  recipients: [],
  ...more,
});
const ofTypes = (name: string, type: readonly ('Backup' | 'BackupCopy' | 'Other')[]): SlaFields =>
  anAlarm({
    name,
    group: { ...EVERYTHING, companyIds: [], source: [], type: [...type], entityGroup: [] },
    minSuccessPct: 50,
  });
const post = (
  office: Office,
  company: 1 | 2,
  job: string,
  status: 'Success' | 'Warning' | 'Failed',
): Promise<void> =>
  office.post(company, [
    {
      ...failure(job, iso(now() - 60_000)),
      status,
      ...(status === 'Success' ? { message: null } : {}),
    },
  ]);
const made = async (who: Asker, alarm: SlaFields): Promise<string> => {
  const answer = await who<{ _id: string }>('POST', SAVE, { alarm });
  if (answer.status !== 200) throw new Error(answer.text);
  const { _id: id } = answer.body.data;
  return id;
};
const listed = async (who: Asker): Promise<readonly SlaOut[]> =>
  (await who<{ alarms: SlaOut[] }>('GET', ALL)).body.data.alarms;
const reported = async (who: Asker, query: string): Promise<SlaReport> =>
  (await who<SlaReport>('GET', `${REPORT}?${query}`)).body.data;
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];

async function begin() {
  const office = await anOffice(fixture);
  return {
    office,
    dana: await person(office, 'dana', 'operator'),
    cora: await person(office, 'cora', 'operator', [1]),
    rita: await person(office, 'rita', 'read-only'),
  };
}
/** What was put on its way to users, the oldest first. */
async function mails(office: Office): Promise<readonly { subject: string; text: string }[]> {
  return fixture.context.store.tenant(office.tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('outgoing')
      .select(['id', 'sealed'])
      .where('tenant_id', '=', tx.tenant)
      .orderBy('made_at')
      .execute();
    const all = [];
    for (const { id, sealed } of rows)
      all.push(
        JSON.parse(
          await unseal(
            tx,
            fixture.context,
            { table: 'outgoing', column: 'sealed', row: id },
            sealed,
          ),
        ) as { subject: string; text: string },
      );
    return all.filter(({ subject }) => subject.includes('SLA'));
  });
}

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({ secretKey: HERE.secretKey }, await open());
  });

  test('SLA-1, SLA-3: an alarm fires when the last successful backup is too old, and recovers with the next one; each is notified once', async () => {
    const { office, dana } = await begin();
    const sla = slaTicks(fixture.context);
    await post(office, 1, 'Files', 'Success');
    await post(office, 1, 'Mail', 'Warning');
    const users = (await dana<{ people: { id: string; name: string }[] }>('GET', ALL)).body.data
      .people;
    const id = await made(
      dana,
      anAlarm({
        recipients: users
          .filter(({ name }) => ['DANA', 'CORA'].includes(name))
          .map((one) => one.id),
      }),
    );
    expect(await listed(dana)).toMatchObject([
      {
        _id: id,
        isMet: true,
        kept: true,
        jobs: 2,
        lateCount: 0,
        share: 1,
        brokenSince: null,
        madeBy: 'DANA',
      },
    ]);
    await sla.tick(now());
    fixture.pass(25 * HOUR);
    await post(office, 1, 'Mail', 'Failed');
    await sla.tick(now());
    expect(await mails(office)).toEqual([]);
    fixture.pass(2 * HOUR);
    await sla.tick(now());
    await sla.tick(now() + 1);
    // Cora sees one company alone: an alarm of all is not told to her.
    expect((await mails(office)).map(({ subject }) => subject)).toEqual([
      'Target missed: SLA alarm Nightly',
    ]);
    expect((await mails(office))[0]?.text).toContain('Calloway Freight: Files on');
    expect(await listed(dana)).toMatchObject([
      { isMet: false, lateCount: 2, brokenSince: now(), lastFiredAt: now(), share: 2 / 3 },
    ]);
    await post(office, 1, 'Files', 'Success');
    await post(office, 1, 'Mail', 'Success');
    await sla.tick(now());
    expect((await mails(office)).map(({ subject }) => subject).at(-1)).toBe(
      'Recovered: SLA alarm Nightly',
    );
    expect(await listed(dana)).toMatchObject([{ isMet: true, brokenSince: null }]);
    // Changed, it is judged anew; switched off, it tells nothing.
    await dana('PUT', `${SAVE}/${id}`, { alarm: anAlarm({ minSuccessPct: 99, enabled: false }) });
    await sla.tick(now());
    expect([(await listed(dana))[0]?.isMet, (await mails(office)).length]).toEqual([false, 2]);
    await sla.stop();
  });

  test('SLA-1: for one job, and for a group', async () => {
    const { office, dana } = await begin();
    await post(office, 1, 'Files', 'Success');
    await post(office, 2, 'Other', 'Failed');
    const { jobs } = (
      await dana<{ jobs: { uid: string; name: string; key: string }[] }>('GET', 'sync/bootstrap')
    ).body.data;
    const files = jobs.find(({ name }) => name === 'Files');
    await made(
      dana,
      anAlarm({
        name: 'One',
        group: null,
        job: { jobInstanceUid: files?.uid ?? '', key: files?.key ?? null },
        maxAgeHours: 1,
      }),
    );
    await made(
      dana,
      anAlarm({
        name: 'Second company',
        group: {
          ...(anAlarm().group ?? EVERYTHING),
          companyIds: [2],
          source: [],
          type: [],
          entityGroup: [],
        },
        maxAgeHours: null,
        minSuccessPct: 50,
      }),
    );
    expect(await listed(dana)).toMatchObject([
      { name: 'Second company', isMet: false, share: 0, jobs: 1, jobName: null },
      { name: 'One', isMet: true, jobs: 1, jobName: 'Files', companyName: 'Calloway Freight' },
    ]);
    fixture.pass(2 * HOUR);
    const own = (
      await dana<{ alarms: SlaOut[] }>('GET', `monitoring/reporting/get-sla-alarm/${files?.uid}`)
    ).body.data.alarms;
    expect(own).toMatchObject([{ name: 'One', isMet: false, lateCount: 1 }]);
    expect((await dana('GET', 'monitoring/reporting/get-sla-alarm/no-such-job')).status).toBe(404);
  });

  test('SLA-1, SLA-4, OVER-7: alarms and reports ignore copies and restores unless only such types are selected', async () => {
    const { office, dana } = await begin();
    const at = iso(now() - 60_000);
    const run = (job: string, type: string, status: 'Success' | 'Failed'): object => ({
      ...failure(job, at),
      type,
      status,
    });
    await office.post(1, [
      run('Files', 'Backup', 'Failed'),
      run('Files (Restore)', 'Other', 'Success'),
      run('Files offsite', 'BackupCopy', 'Success'),
    ]);
    await made(dana, ofTypes('everything', []));
    await made(dana, ofTypes('copies', ['BackupCopy', 'Other']));
    await made(dana, ofTypes('both', ['Backup', 'BackupCopy']));
    fixture.pass(27 * HOUR);
    await post(office, 1, 'Files', 'Success');
    expect(
      new Map(
        (await listed(dana)).map(({ name, jobs, share, lateCount }) => [
          name,
          [jobs, share, lateCount],
        ]),
      ),
    ).toEqual(
      new Map([
        ['everything', [1, 1 / 2, 0]],
        ['copies', [2, 1, 2]],
        ['both', [1, 1 / 2, 0]],
      ]),
    );
    expect((await reported(dana, 'by=job')).rows).toMatchObject([
      { jobName: 'Files', runs: 2, success: 1, share: 1 / 2 },
    ]);
    expect((await reported(dana, 'by=company')).rows).toMatchObject([
      { jobName: null, jobs: 1, runs: 2, success: 1, share: 1 / 2 },
    ]);
    expect(
      (await reported(dana, `by=job&filters=${encodeURIComponent('{"type":["Other"]}')}`)).rows,
    ).toMatchObject([{ jobName: 'Files (Restore)', share: 1, ageHours: 27 }]);
  });

  test('SLA-2: within the companies of its creator, visible to users who see all of it, and nobody else', async () => {
    const { office, dana, cora, rita } = await begin();
    await post(office, 1, 'Files', 'Success');
    await post(office, 2, 'Other', 'Success');
    const all = await made(dana, anAlarm({ name: 'All' }));
    const own = await made(cora, anAlarm({ name: 'Own' }));
    expect((await listed(cora)).map(({ name, jobs }) => [name, jobs])).toEqual([['Own', 1]]);
    expect((await listed(rita)).map(({ name, jobs }) => [name, jobs])).toEqual([
      ['All', 2],
      ['Own', 1],
    ]);
    const foreign = anAlarm({
      group: { ...EVERYTHING, companyIds: [2], source: [], type: [], entityGroup: [] },
    });
    expect(said(await cora('POST', SAVE, { alarm: foreign }))).toEqual([400, MESSAGES.notFound]);
    expect([
      (await cora('PUT', `${SAVE}/${all}`, { alarm: anAlarm() })).status,
      (await cora('DELETE', `monitoring/reporting/remove-sla-alarm/${all}`)).status,
      (await rita('POST', SAVE, { alarm: anAlarm() })).status,
    ]).toEqual([404, 404, 403]);
    const stranger = await begin();
    expect([
      await listed(stranger.dana),
      (await stranger.dana('DELETE', `monitoring/reporting/remove-sla-alarm/${own}`)).status,
    ]).toEqual([[], 404]);
    expect([
      (await dana('DELETE', `monitoring/reporting/remove-sla-alarm/${own}`)).status,
      (await listed(cora)).length,
    ]).toEqual([200, 0]);
    const asksNothing = await dana('POST', SAVE, { alarm: anAlarm({ maxAgeHours: null }) });
    const ofNothing = await dana('POST', SAVE, { alarm: anAlarm({ group: null }) });
    expect([asksNothing, ofNothing].map((one) => one.body.error?.issues)).toEqual([
      [{ path: 'alarm.maxAgeHours', message: MESSAGES.slaAsksNothing }],
      [{ path: 'alarm.job', message: MESSAGES.slaOfWhat }],
    ]);
  });

  test('SLA-4: by job and by company, the worst first, with their targets, and only what the user sees', async () => {
    const { office, dana, cora } = await begin();
    for (const status of ['Success', 'Failed', 'Warning'] as const) {
      await post(office, 1, 'Files', status);
      fixture.pass(HOUR);
    }
    await post(office, 1, 'Mail', 'Success');
    await post(office, 2, 'Other', 'Failed');
    const byJob = await reported(dana, 'minSuccessPct=90&maxAgeHours=24');
    expect(byJob.rows.map(({ jobName, share, met, runs }) => [jobName, share, met, runs])).toEqual([
      ['Other', 0, false, 1],
      ['Files', 2 / 3, false, 3],
      ['Mail', 1, true, 1],
    ]);
    expect(byJob.total).toEqual({
      runs: 5,
      success: 2,
      warning: 1,
      failed: 2,
      missed: 0,
      share: 3 / 5,
      met: 1,
      missedTarget: 2,
    });
    const byCompany = await reported(dana, 'by=company');
    expect(
      byCompany.rows.map(({ companyName, jobs, share, met }) => [companyName, jobs, share, met]),
    ).toEqual([
      ['Drummond & Pike', 1, 0, null],
      ['Calloway Freight', 2, 3 / 4, null],
    ]);
    expect((await reported(cora, '')).rows.map(({ jobName }) => jobName)).toEqual([
      'Files',
      'Mail',
    ]);
    expect((await reported(dana, 'pageSize=1&page=2')).rows.map(({ jobName }) => jobName)).toEqual([
      'Files',
    ]);
    expect((await dana('GET', `${REPORT}?minSuccessPct=101`)).status).toBe(400);
  });
});
