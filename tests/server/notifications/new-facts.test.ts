import { beforeAll, expect, test } from 'vitest';
import { OWN_STATUSES } from '#contract/tickets/tickets.ts';
import type { WebhookOut } from '#contract/notifications/calls.ts';
import { ANYTHING, NOTHING_DONE } from '#contract/rules/rules.ts';
import { pollFacts } from '#server/features/notifications/poll.ts';
import { findOpenFacts } from '#server/features/notifications/open-facts.ts';
import { ask, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';
import { digestAt, fails, loadMails, succeeds, createRecipient } from './fixtures.ts';
import { slaTicks } from '../jobs/ticks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const lines = async (office: Office): Promise<readonly string[]> =>
  (
    await fixture.context.store.tenant(office.tenant, (tx) => findOpenFacts(tx, now()), {
      readOnly: true,
    })
  ).map(({ category, line }) => `${category}: ${line()}`);
const queued = (office: Office): Promise<readonly { category: string; body: string }[]> =>
  fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
    sql
      .selectFrom('webhook_delivery')
      .select(['category', 'body'])
      .where('tenant_id', '=', tenant)
      .orderBy('made_at')
      .execute(),
  );
const telling = async (office: Office, ada: Asker): Promise<void> => {
  await ada<WebhookOut>('POST', 'monitoring/webhooks', {
    webhook: {
      name: 'All',
      url: 'https://hooks.example.com/',
      enabled: true,
      categories: ['failed', 'missed', 'sla', 'repository', 'source', 'ticket'],
    },
  });
  await pollFacts(fixture.context, office.tenant, now());
};
const digested = async (office: Office, who: Asker): Promise<string> => {
  await who('POST', 'monitoring/notify/digest', {});
  return (await loadMails(fixture, office)).at(-1)?.text ?? '';
};

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('NOTIFY-1: a source silent for a week, or for a day with all of its jobs overdue, is reported once, and again after it reported since', async () => {
    const office = await anOffice(fixture);
    const ada = await person(office, 'ada', 'admin');
    await succeeds(fixture, office, 1, 'Files');
    await office.post(2, [
      {
        job: 'Hourly',
        computer: 'pc',
        status: 'Success',
        startTime: new Date(now() - HOUR).toISOString(),
        endTime: new Date(now() - HOUR).toISOString(),
        message: null,
      },
    ]);
    await telling(office, ada);
    fixture.pass(DAY + HOUR);
    expect(await lines(office)).toEqual([]);
    // One whose only job is overdue has stopped; the other may be a weekly one.
    await fixture.context.store.tenant(office.tenant, async (tx) => {
      const job = (await tx.all('job')).find(({ name }) => name === 'Hourly');
      if (!job) throw new Error('no job');
      await tx.append(
        [
          {
            event: {
              type: 'cause.found@1',
              data: { n: await tx.take('cause', 1), template: 'Did not run', kind: 'silent' },
            },
            company: null,
            entity: 'cause:1',
          },
          {
            event: {
              type: 'problem.opened@1',
              data: {
                n: await tx.take('problem', 1),
                job: job.n,
                company: 2,
                cause: 1,
                state: 'Missed',
                run: 2,
                startedAt: now() - HOUR,
              },
            },
            company: 2,
            entity: 'problem:1',
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: now() },
      );
    });
    expect(await lines(office)).toEqual(['source: Drummond & Pike: Key 2: no results']);
    await pollFacts(fixture.context, office.tenant, now());
    fixture.pass(HOUR);
    await pollFacts(fixture.context, office.tenant, now());
    expect((await queued(office)).map(({ category }) => category)).toEqual(['missed', 'source']);
    fixture.pass(6 * DAY);
    expect((await lines(office)).length).toBe(2);
    await succeeds(fixture, office, 1, 'Files');
    expect(await lines(office)).toEqual(['source: Drummond & Pike: Key 2: no results']);
    await pollFacts(fixture.context, office.tenant, now());
    fixture.pass(8 * DAY);
    await pollFacts(fixture.context, office.tenant, now());
    expect(
      (await queued(office)).filter(
        ({ category, body }) =>
          category === 'source' &&
          body.includes('Key 1') &&
          body.includes('"kind":"key","is":"key"'),
      ),
    ).toHaveLength(1);
  });

  test('NOTIFY-1: a repository that fills up and a missed SLA alarm are reported to users who see all of it', async () => {
    const office = await anOffice(fixture);
    const ada = await person(office, 'ada', 'admin');
    const at = '07:30';
    const dana = await createRecipient(fixture, office, 'dana', digestAt(at));
    const cora = await createRecipient(fixture, office, 'cora', digestAt(at), [1]);
    const made = await ada<{ secret: string }>('POST', 'monitoring/sources', {
      name: 'Stores',
      companyN: 2,
      tool: 'api',
    });
    const sample = (free: number): Promise<{ status: number; text: string }> =>
      ask(office.app, '/api/v1/ingest/repositories', {
        method: 'POST',
        host: office.host,
        token: made.body.data.secret,
        body: [{ name: 'store-1', capacityBytes: 1_000, freeBytes: free, usedBytes: 1_000 - free }],
      });
    const answer = await sample(60);
    if (answer.status >= 300) throw new Error(answer.text);
    await succeeds(fixture, office, 1, 'Files');
    await telling(office, ada);
    expect(await lines(office)).toEqual([]);
    fixture.pass(60_000);
    await sample(40);
    expect(await lines(office)).toEqual(['repository: Drummond & Pike: store-1: 96% used']);
    await dana('POST', 'monitoring/reporting/save-sla-alarm', {
      alarm: {
        name: 'Daily',
        enabled: true,
        job: null,
        group: { companyIds: [], source: [], type: [], entityGroup: [] },
        maxAgeHours: 1,
        minSuccessPct: null,
        windowDays: 7,
        recipients: [],
      },
    });
    fixture.pass(2 * HOUR);
    const sla = slaTicks(fixture.context);
    await sla.tick(now());
    await sla.stop();
    await pollFacts(fixture.context, office.tenant, now());
    expect((await queued(office)).map(({ category }) => category).toSorted()).toEqual([
      'repository',
      'sla',
    ]);
    const all = await digested(office, dana);
    const some = await digested(office, cora);
    expect([
      all.includes('1 SLA alarm missed its target'),
      all.includes('/monitoring/sla?alarm='),
      all.includes('1 repository is filling up'),
      /SLA alarm|repository/.test(some),
      some.includes('There are no open problems of the kinds that you selected.'),
    ]).toEqual([true, true, true, false, true]);
  });

  test('NOTIFY-1: a ticket closed in the ticketing system is reported; one closed here is not', async () => {
    const office = await anOffice(fixture);
    const ada = await person(office, 'ada', 'admin');
    const dana = await createRecipient(fixture, office, 'dana', digestAt('07:30'));
    await telling(office, ada);
    const [fresh] = OWN_STATUSES;
    const closed = OWN_STATUSES.find((one) => one.closed);
    if (!fresh || !closed) throw new Error('no statuses');
    for (const [number, by] of [
      [1, 'system'],
      [2, 'person'],
    ] as const) {
      const id = fixture.context.chance.uuid();
      const entity = `ticket:${id}`;
      await fixture.context.store.tenant(office.tenant, (tx) =>
        tx.append(
          [
            {
              event: {
                type: 'ticket.created@1',
                data: {
                  id,
                  number,
                  company: 1,
                  system: 'own',
                  contact: null,
                  subject: `Tape ${number}`,
                  description: '',
                  status: fresh,
                  priority: null,
                  owner: null,
                },
              },
              company: 1,
              entity,
            },
            {
              event: { type: 'ticket.updated@1', data: { id, by, status: closed } },
              company: 1,
              entity,
            },
          ],
          { actor: { kind: 'clock' }, subject: null, commandId: null, at: now() },
        ),
      );
    }
    await pollFacts(fixture.context, office.tenant, now());
    expect(
      (await queued(office)).map(({ category, body }) => [
        category,
        body.includes('Tape 1'),
        body.includes('Tape 2'),
      ]),
    ).toEqual([['ticket', true, false]]);
    expect(await digested(office, dana)).toMatch(
      /1 ticket was closed elsewhere[^]*- Calloway Freight: D-1 Tape 1/,
    );
  });

  test('NOTIFY-1: a known exception of a rule is no news, and is in no digest', async () => {
    const office = await anOffice(fixture);
    const ada = await person(office, 'ada', 'admin');
    const dana = await createRecipient(fixture, office, 'dana', digestAt('07:30'));
    const rule = await dana('POST', 'monitoring/backoffice/rules', {
      rule: {
        name: 'Known',
        enabled: true,
        from: null,
        to: null,
        when: { ...ANYTHING, job: 'old*' },
        does: { ...NOTHING_DONE, exception: true },
      },
    });
    await telling(office, ada);
    await fails(fixture, office, 1, 'Old box');
    await pollFacts(fixture.context, office.tenant, now());
    expect([rule.status, await queued(office)]).toEqual([200, []]);
    expect(await digested(office, dana)).toContain(
      'There are no open problems of the kinds that you selected.',
    );
  });
});
