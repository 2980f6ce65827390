import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { RUNS_BY_UID } from '#server/features/ingest/load-decision-state.ts';
import { eachDatabase } from '../db/databases.ts';
import { anExecution, aPlace, HOUR, iso, NOON } from './fixtures.ts';

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Plans'?: readonly Plan[];
}
const max = (plan: Plan): number =>
  Math.max(plan['Actual Rows'] * plan['Actual Loops'], ...(plan.Plans ?? []).map(max));

eachDatabase((name, open) => {
  test(`ING-14: known jobs and causes of a key are not read again when it posts, even before tables are analyzed (${name})`, async () => {
    const place = await aPlace(await open());
    for (const round of [1, 2, 3]) {
      const posted = await place.post(
        'executions',
        Array.from({ length: 300 }, (_, index) => {
          const start = NOON - round * HOUR;
          return anExecution({
            job: `Job ${index}`,
            externalId: `${round}-${index}`,
            startTime: iso(start),
            endTime: iso(start + 1000),
          });
        }),
      );
      expect(posted.data.accepted).toBe(300);
    }
    const plan = await place.ground.context.store.tenant(place.tenant, async (tx) => {
      const { rows } = await tx.sql.executeQuery(
        CompiledQuery.raw(`explain (analyze, format json) ${RUNS_BY_UID}`, [
          place.tenant,
          JSON.stringify([{ uid: '1-5' }, { uid: '2-5' }, { uid: 'none' }]),
          place.keyId,
        ]),
      );
      return (rows as { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }[])[0]?.[
        'QUERY PLAN'
      ][0]?.Plan;
    });
    expect(plan && max(plan)).toBeLessThanOrEqual(3);
  });
});
