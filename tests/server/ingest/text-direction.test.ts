import { expect, test } from 'vitest';
import { toOneLine } from '#server/features/notifications/fact.ts';
import { eachDatabase } from '../db/databases.ts';
import { anExecution, aPlace } from './fixtures.ts';

const TURNS = /[\u202A-\u202E\u2066-\u2069]/;

eachDatabase((name, open) => {
  test(`RUN-12: nothing that a source sends changes the text direction, and its jobs stay distinct (${name})`, async () => {
    const place = await aPlace(await open());
    const evil = {
      job: 'invoice\u202Efdp.exe',
      computer: '\u2067pc\u2069',
      server: '\u202Asrv',
      status: 'Failed',
      message: 'open \u202Efdp.exe: permission denied',
      log: 'line \u2066one',
      tasks: [{ name: '\u202Edisk', status: 'Failed', message: '\u202Dfull' }],
      detail: { pool: '\u202EA' },
    };
    expect(
      (
        await place.post('executions', [
          anExecution(evil),
          anExecution({ ...evil, job: 'invoicefdp.exe' }),
          anExecution({ ...evil, job: '\u202E' }),
        ])
      ).data,
    ).toMatchObject({ accepted: 3, rejected: [] });
    expect(
      (
        await place.ping(
          `/slug?host=${encodeURIComponent('\u202Epc')}&job=${encodeURIComponent('a\u202Eb')}`,
        )
      ).status,
    ).toBe(200);
    const jobs = await place.all('job');
    const runs = await place.all('run');
    expect(jobs).toHaveLength(4);
    for (const { name: called, computer, server } of jobs)
      expect(`${called} ${computer} ${server}`).not.toMatch(TURNS);
    for (const { name: called } of jobs) expect(called).not.toBe('');
    for (const run of runs)
      expect(JSON.stringify([run.message, run.detail, await place.log(run.n)])).not.toMatch(TURNS);
    const tasks = await place.ground.context.store.tenant(
      place.tenant,
      (tx) =>
        tx.sql
          .selectFrom('run_task')
          .select('tasks')
          .where('tenant_id', '=', place.tenant)
          .execute(),
      { readOnly: true },
    );
    expect(tasks.length).toBeGreaterThan(0);
    expect(JSON.stringify(tasks)).not.toMatch(TURNS);
    expect((await place.post('computers', { hostName: '\u202Epc-9' })).data).toMatchObject({
      accepted: 1,
    });
    expect((await place.all('computer')).map(({ hostName }) => hostName)).toEqual(['pc-9']);
  });
});

test('RUN-12: a line of an email changes no text direction', () => {
  expect(toOneLine('Acme\u202E\u2066 Ltd:\n backup')).toBe('Acme Ltd: backup');
});
