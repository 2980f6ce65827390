import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { aPlace, DAY, iso, NOON } from './fixtures.ts';

const refused = (host: string): string =>
  `Unable to connect to host ${host}.example.net: timed out`;
const failure = (job: string, startedAt: number): object => ({
  job,
  computer: `${job}-pc`,
  status: 'Failed',
  startTime: iso(startedAt),
  endTime: iso(startedAt + 60_000),
  message: refused(job),
});

eachDatabase((_name, open) => {
  test('RUN-5, RUN-6: a known cause of another job is the same cause between the results of a request', async () => {
    const place = await aPlace(await open());
    await place.post('executions', [failure('elsewhere', NOON - 5 * DAY)]);
    await place.post(
      'executions',
      [3, 2, 1].map((days) => failure('files', NOON - days * DAY)),
    );
    await place.post('executions', [failure('files', NOON)]);
    expect(await place.all('cause')).toHaveLength(1);
    expect(
      (await place.all('problem')).map(({ runs, closedAt, openedAt }) => [
        runs,
        closedAt,
        openedAt,
      ]),
    ).toEqual([
      [1, null, NOON - 5 * DAY],
      [4, null, NOON - 3 * DAY],
    ]);
  });
});
