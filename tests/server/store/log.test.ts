import { expect, test } from 'vitest';
import type { Draft } from '#contract/events.ts';
import { eachDatabase } from './databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft, runStart } from './drafts.ts';

eachDatabase((name, open) => {
  test(`LOG-1: an event that its schema does not know is refused, and nothing of its batch is kept (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const wrong = { ...jobDraft(2), event: { type: 'job.found@1', data: { n: 'two' } } } as unknown as Draft;
    const unknown = { ...jobDraft(2), event: { type: 'job.vanished@1', data: {} } } as unknown as Draft;
    for (const bad of [wrong, unknown]) {
      await expect(store.tenant(tenant, (tx) => tx.append([jobDraft(1), bad], byClock))).rejects.toThrow('Not an event of the contract');
    }
    await store.tenant(tenant, async (tx) => {
      expect(await tx.head()).toMatchObject({ seq: 0 });
      expect(await tx.all('job')).toEqual([]);
    }, { readOnly: true });
  });

  test(`LOG-1, LOG-3: what was appended is read back as it was, with its rows (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const by = { ...byClock, subject: 'someone', commandId: '22222222-2222-4222-8222-222222222222' };
    const drafts = [companyDraft(1), jobDraft(1), runStart({ n: 1 }), problemDraft(1, 1, 1), runDraft({ n: 1, problem: 1, message: 'quote " back \\ é 💾 \u001E {,} NULL' })];
    const logged = await store.tenant(tenant, (tx) => tx.append(drafts, by));
    expect(logged.map((one) => one.seq)).toEqual([1, 2, 3, 4, 5]);
    await store.tenant(tenant, async (tx) => {
      expect(await tx.eventsAfter(0, 10)).toEqual(logged);
      expect(await tx.eventsAfter(3, 1)).toEqual(logged.slice(3, 4));
      expect((await tx.rows('run', [1, 2])).get(1)).toEqual(drafts[4]?.event.data);
      expect((await tx.rows('job', [1])).get(1)).toMatchObject({ problem: 1 });
      expect((await tx.rows('problem', [1])).get(1)).toMatchObject({ runs: 1, lastRun: 1 });
      expect(await tx.sql.selectFrom('run_day').select(['day', 'rows', 'seq']).where('tenant_id', '=', tenant).execute())
        .toEqual([{ day: '2026-09-21', rows: 1, seq: 5 }]);
      expect(await tx.sql.selectFrom('run').select(['seq', 'started_at', 'problem_n', 'uid']).where('tenant_id', '=', tenant).execute())
        .toEqual([{ seq: 5, started_at: byClock.at, problem_n: 1, uid: 'run-1' }]);
    }, { readOnly: true });
  });

  test(`LOG-1: text that PostgreSQL cannot keep is mended, not lost (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const [, logged] = await store.tenant(tenant, (tx) => tx.append([jobDraft(1), jobDraft(2, 'a\0b\uD800c\\u0000')], byClock));
    expect(logged?.event.data).toMatchObject({ name: 'a\uFFFDb\uFFFDc\\u0000' });
    expect((await store.tenant(tenant, (tx) => tx.rows('job', [2]))).get(2)).toMatchObject({ name: 'a\uFFFDb\uFFFDc\\u0000' });
  });
});
