import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import type { NotifyOut } from '#contract/notifications/calls.ts';
import { digestMail } from '#server/features/notifications/digest-mail.ts';
import { sendDigests } from '#server/features/notifications/digest.ts';
import { digestAfter } from '#server/features/notifications/due.ts';
import type { NotificationFact } from '#server/features/notifications/fact.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice } from '../sync/fixtures.ts';
import type { Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';
import { digestAt, fails, loadMails, settings, succeeds, createRecipient } from './fixtures.ts';

const HOUR = 3_600_000;
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const send = (office: Office): Promise<void> => sendDigests(fixture.context, office.tenant, now());
const after = (
  zone: string,
  iso: string,
  weekdays: number[] = [1, 2, 3, 4, 5, 6, 7],
  at = '02:30',
): string =>
  new Date(
    digestAfter(
      { ...settings({ timeZone: zone }), digest: { on: true, at, weekdays, whenWell: false } },
      Date.parse(iso),
    ) ?? 0,
  ).toISOString();

test('NOTIFY-3: a digest is due by the clock of its zone, on its days, once if an hour is skipped or repeated', () => {
  expect(after('Europe/Berlin', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(after('Europe/Berlin', '2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
  expect(after('Europe/Berlin', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(after('Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
  expect(after('America/New_York', '2026-03-06T13:00:00Z', [1], '07:00')).toBe(
    '2026-03-09T11:00:00.000Z',
  );
  expect(after('UTC', '2026-03-07T08:00:00Z', [7], '07:30')).toBe('2026-03-08T07:30:00.000Z');
  expect(digestAfter(settings(), 0)).toBeNull();
});

test("NOTIFY-3: the lines per kind are limited, names are text, and the provider's colors are used", () => {
  const facts = Array.from({ length: LIMITS.digestLines + 3 }, (_, n): NotificationFact => ({
    category: 'failed',
    subject: `problem:${n}`,
    companies: [1],
    link: `/monitoring/daily-checks?run=${n}`,
    line: () => `<b>Job</b> ${n}`,
    data: {},
  }));
  const { subject, text, html } = digestMail(
    {
      facts,
      reviewed: 1,
      at: Date.parse('2026-03-02T07:30:00Z'),
      timeZone: 'Europe/Berlin',
      portal: 'https://portal.example',
    },
    { name: 'Harbour\r\nBcc: x', accent: '#00aa00', sidebar: '#ffee00' },
  );
  expect(subject).toBe(`Harbour Bcc: x: ${facts.length} jobs failed`);
  expect(text.match(/^- /gm)).toHaveLength(LIMITS.digestLines);
  expect(text).toContain('and 3 more');
  expect(text).toContain('https://portal.example/monitoring/daily-checks?run=0');
  expect(text).toContain('1 more problem is reviewed but not resolved.');
  expect(text).toContain('8:30 AM (Europe/Berlin)');
  expect([
    html.includes('<b>Job'),
    html.includes('&lt;b&gt;Job&lt;/b&gt; 0'),
    html.includes('background:#ffee00;color:#1f1d18'),
    html.includes('color:#00aa00'),
  ]).toEqual([false, true, true, true]);
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({ secretKey: HERE.secretKey }, await open());
  });

  test('NOTIFY-3: it lists only open problems of the companies that its user sees, each with its link', async () => {
    const office = await anOffice(fixture);
    const berlin = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Europe/Berlin',
    }).format(now() + HOUR);
    await createRecipient(fixture, office, 'dana', digestAt(berlin));
    await createRecipient(fixture, office, 'cora', digestAt(berlin), [1]);
    await createRecipient(fixture, office, 'mila', {
      ...digestAt(berlin),
      categories: { ...settings().categories, failed: { mail: false, push: true } },
    });
    await fails(fixture, office, 1, 'Files');
    await fails(fixture, office, 2, 'Mail');
    await fails(fixture, office, 2, 'Web', { status: 'Warning' });
    await succeeds(fixture, office, 1, 'Good');
    await send(office);
    expect(await loadMails(fixture, office)).toEqual([]);
    fixture.pass(HOUR);
    await send(office);
    await send(office);
    const mails = await loadMails(fixture, office);
    const of = (name: string) => mails.filter(({ to }) => to === `${name}@example.com`);
    expect(mails).toHaveLength(2);
    expect(of('dana')[0]?.subject).toMatch(/^Provider \d+: 2 jobs failed$/);
    expect(of('dana')[0]?.text).toMatch(
      /- Drummond & Pike: Mail on Mail-pc: .*\n {2}https:\/\/\S+\/monitoring\/daily-checks\?review=any&date=last-30&run=\d+\n/,
    );
    expect(of('dana')[0]?.html).toContain('Drummond &amp; Pike: Mail');
    expect([
      of('cora')[0]?.subject.endsWith(': 1 job failed'),
      of('cora')[0]?.text.includes('Drummond'),
    ]).toEqual([true, false]);
    expect(of('dana')[0]?.text).not.toMatch(/Good|Web/);
    // Nothing broken: no mail, or a line where that is asked for.
    await succeeds(fixture, office, 1, 'Files');
    await succeeds(fixture, office, 2, 'Mail');
    await createRecipient(fixture, office, 'wanda', digestAt(berlin, { whenWell: true }));
    fixture.pass(24 * HOUR);
    await send(office);
    expect(
      (await loadMails(fixture, office))
        .slice(2)
        .map(({ to, subject }) => [to, subject.endsWith(': No open problems')]),
    ).toEqual([['wanda@example.com', true]]);
  });

  test('NOTIFY-3: missed while no server ran, it is sent once if it is a few hours late, and not if it is later; two servers send once', async () => {
    const office = await anOffice(fixture);
    const at = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Europe/Berlin',
    }).format(now() + HOUR);
    const dana = await createRecipient(fixture, office, 'dana', digestAt(at));
    await fails(fixture, office, 1, 'Files');
    // Three days without a server, and back three hours after the time of the day.
    fixture.pass(3 * 24 * HOUR + 4 * HOUR);
    await Promise.all([send(office), send(office), send(office)]);
    expect(await loadMails(fixture, office)).toHaveLength(1);
    const { lastAt, nextAt } = (await dana<NotifyOut>('GET', 'monitoring/notify')).body.data;
    expect([lastAt, (nextAt ?? 0) - now()]).toEqual([now(), 21 * HOUR]);
    fixture.pass(24 * HOUR + 2 * HOUR + 60_000);
    await send(office);
    expect(await loadMails(fixture, office)).toHaveLength(1);
    expect((await dana<NotifyOut>('GET', 'monitoring/notify')).body.data.nextAt).toBeGreaterThan(
      now(),
    );
    // A day later all is as usual.
    fixture.pass(24 * HOUR);
    await send(office);
    expect(await loadMails(fixture, office)).toHaveLength(1);
  });

  test('NOTIFY-2, NOTIFY-3: users manage only their own settings, can send a digest now, and get a message without an address', async () => {
    const office = await anOffice(fixture);
    const dana = await createRecipient(fixture, office, 'dana', digestAt('07:30'));
    const rita = await person(office, 'rita', 'read-only');
    const own = (await dana<NotifyOut>('GET', 'monitoring/notify')).body.data;
    const hers = (await rita<NotifyOut>('GET', 'monitoring/notify')).body.data;
    expect([
      own.settings.digest.on,
      own.email,
      hers.settings.digest.on,
      hers.nextAt,
      hers.settings.timeZone,
    ]).toEqual([true, 'dana@example.com', false, null, 'UTC']);
    expect([own.categories.includes('source'), own.vapid]).toEqual([false, hers.vapid]);
    expect((await dana('POST', 'monitoring/notify/digest', {})).body.data).toEqual({
      to: 'dana@example.com',
    });
    expect(
      (await loadMails(fixture, office)).map(({ to, subject }) => [
        to,
        subject.endsWith('No open problems'),
      ]),
    ).toEqual([['dana@example.com', true]]);
    await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .updateTable('person')
        .set({ email: null })
        .where('tenant_id', '=', tenant)
        .where('username', '=', 'rita')
        .execute(),
    );
    expect((await rita('POST', 'monitoring/notify/digest', {})).status).toBe(409);
    expect(
      (
        await dana('PUT', 'monitoring/notify', {
          settings: { ...own.settings, timeZone: 'Mars/Olympus' },
        })
      ).status,
    ).toBe(400);
  });
});
