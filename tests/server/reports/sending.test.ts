import { afterAll, beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { SentOut } from '#contract/reports/calls.ts';
import { TEMPLATE_KEYS } from '#contract/reports/template.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { smtp } from '../outbound/smtp.ts';
import type { Smtp } from '../outbound/smtp.ts';
import { anDemo, DAY } from './results/fixtures.ts';
import type { Demo } from './results/fixtures.ts';
import { anyDatabase, ONE } from '../db/databases.ts';
import {
  FIELDS,
  made,
  mailAt,
  reporter,
  loadSent,
  settings,
  loadSettings,
  turning,
} from './fixtures.ts';
import type { Reporter } from './fixtures.ts';

const getId = ({ _id: id }: Pick<SentOut, '_id'> = { _id: '' }): string => id;
const BERLIN = { timeZone: 'Europe/Berlin', dayBeginsHour: 6 };

anyDatabase((name, open) => {
  let demoData: Demo;
  let server: Smtp;
  let turn: ReturnType<typeof turning>;
  let kate: Reporter;
  beforeAll(async () => {
    demoData = await anDemo(await open(), 21, BERLIN, { jobs: 12, runs: 500, days: 20 });
    // The post and the calls share a key, as in one server.
    Object.assign(demoData.ground.context.config, {
      secretKey: Buffer.alloc(32, 7).toString('base64url'),
      outbound: { allow: ['127.0.0.0/8'], http: true },
    });
    server = await smtp();
    await settings(demoData, mailAt(server.port));
    turn = turning(demoData);
    kate = await reporter(demoData, 'kate-r', ['operator']);
  });
  afterAll(() => turn.stop());

  test('REPORT-3: a due report goes once to each address, with its file, and is in the history', async () => {
    const id = await made(kate, { recipients: ['a@example.com', 'b@example.com'], format: 'pdf' });
    const {
      settings: [one],
    } = await loadSettings(kate);
    expect(one).toMatchObject({
      _id: id,
      mine: true,
      gone: false,
      nextAt: Date.parse('2026-04-06T06:00:00Z'),
      last: null,
    });
    await turn.round();
    expect(server.arrived).toHaveLength(0);
    demoData.ground.pass(Date.parse('2026-04-06T06:00:01Z') - demoData.ground.context.clock.now());
    await turn.round();
    await turn.round();
    expect(server.arrived.map(({ to }) => to.join()).toSorted()).toEqual([
      'a@example.com',
      'b@example.com',
    ]);
    const raw = server.arrived[0]?.raw ?? '';
    const heads = raw
      .split(/\r\n/)
      .filter(
        (line) =>
          /^(?:Subject|Content-(?:Type|Disposition)|X-|From):?/i.test(line) ||
          /filename|name=/.test(line),
      )
      .map((line) => line.trim())
      .join('\n');
    expect(heads).toMatch(/^Subject: .*Weekly/m);
    expect(heads).toMatch(/^Content-Type: application\/pdf;/m);
    expect(heads).toContain('filename=calendar-full_2026-04-06_080000.pdf');
    const [sent] = await loadSent(kate);
    expect(sent).toMatchObject({
      setting: id,
      how: 'schedule',
      state: 'sent',
      dueAt: Date.parse('2026-04-06T06:00:00Z'),
      fileName: 'calendar-full_2026-04-06_080000.pdf',
      error: null,
    });
    expect(sent?.mails.map(({ to, state }) => [to, state])).toEqual([
      ['a@example.com', 'sent'],
      ['b@example.com', 'sent'],
    ]);
    const file = await kate('GET', `sent/${getId(sent)}/file`);
    expect([file.status, file.headers.get('content-type'), file.text.slice(0, 5)]).toEqual([
      200,
      'application/pdf',
      '%PDF-',
    ]);
    expect((await loadSettings(kate)).settings[0]).toMatchObject({
      nextAt: Date.parse('2026-04-13T06:00:00Z'),
      last: { state: 'sent' },
    });
    await kate('DELETE', `settings/${id}`);
  });

  test('REPORT-3: times missed while no server ran are sent once, for the last of them', async () => {
    const id = await made(kate, { schedule: { every: 'day', at: '07:00', timeZone: 'UTC' } });
    const before = server.arrived.length;
    const now = demoData.ground.context.clock.now();
    demoData.ground.pass(5 * DAY);
    await Promise.all([turn.round(), turn.round()]);
    expect(server.arrived.length - before).toBe(1);
    const own = (await loadSent(kate)).filter((one) => one.setting === id);
    const last = Math.floor((now + 5 * DAY) / DAY) * DAY + 7 * 3_600_000;
    expect(own.map(({ dueAt }) => dueAt)).toEqual([last > now + 5 * DAY ? last - DAY : last]);
    await kate('DELETE', `settings/${id}`);
  });

  test('REPORT-4, REPORT-6: every template makes a file in every format, and sent files can be opened', async () => {
    const boss = await reporter(demoData, 'boss-r', ['admin', 'operator']);
    // A file is made beside the database, at length where it is a PDF: once is enough.
    const formats = name === ONE ? (['pdf', 'html', 'csv'] as const) : (['html'] as const);
    for (const template of TEMPLATE_KEYS) {
      const { customers } = TEMPLATES[template];
      const companies = customers === 'one' ? [2] : customers === 'some' ? [1, 2] : [];
      for (const format of formats) {
        const id = await made(boss, { template, format, companies, enabled: false });
        expect((await boss('POST', 'send', { reportSettingId: id })).status).toBe(200);
      }
    }
    await turn.round();
    const sent = (await loadSent(boss)).filter(({ by }) => by === 'boss-r');
    expect(
      sent.map(({ template, format, state, error }) => [template, format, state, error]),
    ).toEqual(sent.map(({ template, format }) => [template, format, 'sent', null]));
    expect(sent).toHaveLength(TEMPLATE_KEYS.length * formats.length);
    for (const { _id, name } of sent) {
      const opened = await boss('GET', `sent/${_id}`);
      expect([
        opened.status,
        (opened.body.data as { report: { name: string } }).report.name,
      ]).toEqual([200, name]);
    }
  });

  test('REPORT-5: a report has what its owner may see when it is sent, whatever they could before', async () => {
    const some = await reporter(demoData, 'some-r', ['operator'], [1, 2]);
    const id = await made(some, {
      template: 'calendarReportSummary',
      companies: [1, 2],
      enabled: false,
    });
    const all = await made(some, {
      template: 'calendarReportSummary',
      companies: [],
      enabled: false,
    });
    const send = async (setting: string): Promise<readonly string[]> => {
      demoData.ground.pass(1_000);
      await some('POST', 'send', { reportSettingId: setting });
      await turn.round();
      const [last] = (await loadSent(kate)).filter((one) => one.setting === setting);
      if (last?.state !== 'sent') return [last?.state ?? '', last?.error ?? ''];
      return (await kate('GET', `sent/${getId(last)}/file`)).text
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0] ?? '');
    };
    expect(await send(id)).toEqual(['Calloway', 'drummond & Pike']);
    expect(await send(all)).toEqual(['Calloway', 'drummond & Pike']);
    const scoped = (companies: readonly number[]) =>
      demoData.store.tenant(demoData.tenant, async (tx) => {
        await tx.append(
          [
            {
              event: {
                type: 'user.scoped@1',
                data: { id: some.id, roles: ['operator'], companies: [...companies] },
              },
              company: null,
              entity: `user:${some.id}`,
            },
          ],
          {
            actor: { kind: 'user', id: some.id },
            subject: null,
            commandId: null,
            at: demoData.ground.context.clock.now(),
          },
        );
      });
    await scoped([2]);
    expect(await send(id)).toEqual(['drummond & Pike']);
    expect(await send(all)).toEqual(['drummond & Pike']);
    await scoped([3]);
    expect(await send(id)).toEqual(['failed', MESSAGES.reportNothingSeen]);
    // What was sent before holds companies that it sees no more.
    const [old] = (await loadSent(some)).filter(
      (one) => one.setting === id && one.state === 'sent',
    );
    expect([
      old?.fileName,
      (await some('GET', `sent/${getId(old)}`)).status,
      (await some('GET', `sent/${getId(old)}/file`)).status,
    ]).toEqual([null, 404, 404]);
  });

  test('REPORT-3: without a mail server a report waits in the outbox, and a refused one says so', async () => {
    const id = await made(kate, {
      recipients: ['a@example.com', 'no@example.com'],
      enabled: false,
    });
    await settings(demoData, {});
    await kate('POST', 'send', { reportSettingId: id });
    await turn.round();
    expect((await loadSent(kate)).find((one) => one.setting === id)).toMatchObject({
      state: 'kept',
      mails: [{ state: 'kept' }, { state: 'kept' }],
    });
    const picky = await smtp({}, (to) =>
      to === 'no@example.com' ? { code: 550, text: 'unknown' } : null,
    );
    await settings(demoData, mailAt(picky.port));
    demoData.ground.pass(1_000);
    await kate('POST', 'send', { reportSettingId: id });
    await turn.round();
    expect((await loadSent(kate)).find((one) => one.setting === id)).toMatchObject({
      state: 'partly',
      mails: [
        { state: 'sent' },
        { state: 'failed', error: expect.stringContaining('550') as string },
      ],
    });
    await settings(demoData, mailAt(server.port));
  });

  test('REPORT-5: a report whose owner is deleted or lost the permission is not sent until somebody takes it over', async () => {
    const leaver = await reporter(demoData, 'leaver-r', ['operator']);
    const id = await made(leaver, { enabled: false });
    await demoData.store.tenant(demoData.tenant, async (tx) => {
      await tx.append(
        [
          {
            event: {
              type: 'user.scoped@1',
              data: { id: leaver.id, roles: ['sub-sp'], companies: null },
            },
            company: null,
            entity: `user:${leaver.id}`,
          },
        ],
        {
          actor: { kind: 'user', id: leaver.id },
          subject: null,
          commandId: null,
          at: demoData.ground.context.clock.now(),
        },
      );
    });
    const before = server.arrived.length;
    const own = async () => (await loadSettings(kate)).settings.find((one) => getId(one) === id);
    expect(await own()).toMatchObject({ gone: true, mine: false });
    await kate('POST', 'send', { reportSettingId: id });
    await turn.round();
    expect((await loadSent(kate)).find((one) => one.setting === id)).toMatchObject({
      state: 'failed',
      error: MESSAGES.reportOwnerGone,
      mails: [],
      storedUntil: null,
    });
    expect(server.arrived).toHaveLength(before);
    await kate('PUT', `settings/${id}`, { setting: { ...FIELDS, enabled: false } });
    expect(await own()).toMatchObject({ gone: false, mine: true });
    demoData.ground.pass(1_000);
    await kate('POST', 'send', { reportSettingId: id });
    await turn.round();
    expect(server.arrived).toHaveLength(before + 1);
  });

  test('REPORT-8: names are text in every format', async () => {
    const id = await made(kate, {
      name: '<b>Calloway</b> & "sons"',
      template: 'detailReport',
      companies: [],
      format: 'html',
      enabled: false,
      period: 'last-30',
    });
    const csv = await made(kate, {
      ...FIELDS,
      template: 'detailReport',
      companies: [],
      enabled: false,
      period: 'last-30',
    });
    await kate('POST', 'send', { reportSettingId: id });
    await kate('POST', 'send', { reportSettingId: csv });
    await turn.round();
    const rows = await loadSent(kate);
    const html = (await kate('GET', `sent/${getId(rows.find((one) => one.setting === id))}/file`))
      .text;
    const file = (await kate('GET', `sent/${getId(rows.find((one) => one.setting === csv))}/file`))
      .text;
    expect(html).toContain('&lt;b&gt;Calloway&lt;/b&gt; &amp; &quot;sons&quot;');
    expect(html).not.toMatch(/<b>Calloway|<script|<img|src=|url\(/);
    expect(file).toContain(",'=cmd|1,");
    expect(file).not.toMatch(/(^|,)"?[=+@]/m);
  });

  test('REPORT-7: a file is stored encrypted for 90 days, and the record of sending for a year', async () => {
    const id = await made(kate, { enabled: false, name: 'Kept for a while' });
    const own = async () => (await loadSent(kate)).find((one) => one.setting === id);
    await kate('POST', 'send', { reportSettingId: id });
    await turn.round();
    const sent = await own();
    expect(sent).toMatchObject({
      state: 'sent',
      storedUntil: demoData.ground.context.clock.now() + 90 * DAY,
      kept: demoData.ground.context.clock.now() + 90 * DAY,
    });
    const stored = await demoData.store.tenant(demoData.tenant, ({ sql }) =>
      sql
        .selectFrom('kept_file')
        .select('sealed')
        .where('tenant_id', '=', demoData.tenant)
        .execute(),
    );
    expect(stored.every(({ sealed }) => /^v1:[\w-]+:[\w-]+:[\w-]+$/.test(sealed))).toBe(true);
    demoData.ground.pass(91 * DAY);
    await turn.round();
    expect(await own()).toMatchObject({
      state: 'sent',
      name: 'Kept for a while',
      fileName: null,
      storedUntil: null,
    });
    expect([
      (await kate('GET', `sent/${getId(sent)}`)).status,
      (await kate('GET', `sent/${getId(sent)}/file`)).status,
    ]).toEqual([404, 404]);
    demoData.ground.pass(300 * DAY);
    await turn.round();
    expect(await own()).toBeUndefined();
  });
});
