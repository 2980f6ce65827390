import { beforeAll, expect, test } from 'vitest';
import { can, ROLES } from '#contract/abilities.ts';
import { MESSAGES } from '#contract/messages.ts';
import { reportCalls } from '#contract/reports/calls.ts';
import type { TemplateOut } from '#contract/reports/calls.ts';
import { TEMPLATE_KEYS } from '#contract/reports/template.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { anDemo } from './results/fixtures.ts';
import type { Demo } from './results/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { branded, FIELDS, made, reporter, loadSettings } from './fixtures.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const CALLS = Object.values(reportCalls).map(({ method, path }) => ({
  method,
  path: path.replace('monitoring/reporting/reports/', '').replace('{id}', NOBODY),
}));

const loadKeys = async (who: Awaited<ReturnType<typeof reporter>>): Promise<readonly string[]> =>
  ((await who('GET', 'enabled')).body.data as readonly TemplateOut[]).map(({ key }) => key);

anyDatabase((_name, open) => {
  let demoData: Demo;
  let other: Demo;
  beforeAll(async () => {
    const store = await open();
    demoData = await anDemo(
      store,
      5,
      { timeZone: 'Europe/Berlin', dayBeginsHour: 0 },
      { jobs: 6, runs: 60, days: 10 },
    );
    other = await anDemo(
      await open(),
      6,
      { timeZone: 'UTC', dayBeginsHour: 0 },
      { jobs: 2, runs: 5, days: 5 },
    );
  });

  test('REPORT-1: every call needs the permission and is limited to the provider', async () => {
    for (const visibleFor of [['all'], ['operator'], []] as const) {
      await branded(demoData, {
        features: {
          ...defaultBranding('', '', '').features,
          reporting: { enabled: true, visibleFor: [...visibleFor] },
        },
      });
      for (const role of ROLES) {
        const who = await reporter(demoData, `${role}-${visibleFor.join('')}`, [role]);
        const may =
          can([role], 'monitoring.report-settings') &&
          visibleFor.some((one) => one === 'all' || one === role);
        for (const { method, path } of CALLS) {
          const body =
            method === 'POST' || method === 'PUT'
              ? {
                  setting:
                    path === 'preview'
                      ? {
                          name: 'x',
                          template: 'calendarReportFull',
                          companies: [],
                          period: 'last-2',
                          language: 'en-US',
                        }
                      : FIELDS,
                  ...(path === 'send' && { setting: undefined, reportSettingId: NOBODY }),
                }
              : undefined;
          expect([role, path, (await who(method, path, body)).status === 403]).toEqual([
            role,
            path,
            !may,
          ]);
        }
      }
    }
    await branded(demoData, { features: defaultBranding('', '', '').features });
  });

  test('REPORT-1: the templates of licenses and sub-providers are for users who may see these', async () => {
    const boss = await reporter(demoData, 'boss', ['admin']);
    const reader = await reporter(demoData, 'reader', ['read-only']);
    const few = await reporter(demoData, 'few', ['operator'], [1]);
    expect(await loadKeys(boss)).toEqual([...TEMPLATE_KEYS]);
    expect(await loadKeys(reader)).toEqual(
      TEMPLATE_KEYS.filter((key) => key !== 'licenseStorageReport'),
    );
    expect(await loadKeys(few)).toEqual(
      TEMPLATE_KEYS.filter(
        (key) => key !== 'licenseStorageReport' && key !== 'sspCalendarReportSummary',
      ),
    );
    for (const [who, template] of [
      [reader, 'licenseStorageReport'],
      [few, 'sspCalendarReportSummary'],
    ] as const) {
      expect(
        await who('POST', 'settings', { setting: { ...FIELDS, companies: [], template } }),
      ).toMatchObject({ status: 403, body: { message: MESSAGES.reportNotAllowed } });
    }
  });

  test("REPORT-2: users with some companies manage reports of these, and nobody else's", async () => {
    const few = await reporter(demoData, 'some', ['operator'], [1]);
    const all = await reporter(demoData, 'all', ['operator']);
    const far = await reporter(other, 'far', ['operator']);
    const own = await made(few);
    const theirs = await made(all, { companies: [2] });
    expect((await loadSettings(few)).settings.map((one) => Object.values(one)[0])).toEqual([own]);
    expect((await loadSettings(all)).settings.map(({ mine }) => mine)).toContain(false);
    for (const who of [few, far]) {
      for (const [method, path, body] of [
        ['PUT', `settings/${theirs}`, { setting: FIELDS }],
        ['DELETE', `settings/${theirs}`, undefined],
        ['POST', 'send', { reportSettingId: theirs }],
      ] as const)
        expect([path, (await who(method, path, body)).status]).toEqual([path, 404]);
    }
    expect(
      await few('POST', 'settings', { setting: { ...FIELDS, companies: [1, 2] } }),
    ).toMatchObject({
      status: 400,
      body: {
        error: { issues: [{ path: 'setting.companies', message: MESSAGES.reportNotYours }] },
      },
    });
    expect(
      (
        await few('POST', 'preview', {
          setting: {
            name: 'x',
            template: 'detailReport',
            companies: [3],
            period: 'last-2',
            language: 'de',
          },
        })
      ).status,
    ).toBe(400);
    // It stays its owner's, also where somebody who sees more changes it: the owner's companies are
    // the most it tells.
    expect(
      (await all('PUT', `settings/${own}`, { setting: { ...FIELDS, companies: [1, 2] } })).status,
    ).toBe(400);
    expect(
      (await all('PUT', `settings/${own}`, { setting: { ...FIELDS, name: 'Renamed' } })).status,
    ).toBe(200);
    expect((await loadSettings(few)).settings).toMatchObject([{ name: 'Renamed', mine: true }]);
    expect((await all('DELETE', `settings/${own}`)).status).toBe(200);
    expect((await loadSettings(few)).settings).toEqual([]);
  });

  test('REPORT-2, REPORT-8: invalid settings are refused at their field', async () => {
    const who = await reporter(demoData, 'typist', ['operator']);
    const refused = async (more: object): Promise<readonly string[]> => {
      const answer = await who('POST', 'settings', { setting: { ...FIELDS, ...more } });
      return answer.status === 400
        ? (answer.body.error.issues?.map(({ path }) => path) ?? [])
        : [String(answer.status)];
    };
    expect(await refused({ template: 'calendarReportCompanyFull', companies: [] })).toEqual([
      'setting.companies',
    ]);
    expect(await refused({ template: 'calendarReportCompanyFull', companies: [1, 2] })).toEqual([
      'setting.companies',
    ]);
    expect(
      await refused({
        template: 'multiCustomerReportSummary',
        companies: Array.from({ length: 31 }, (_, i) => i + 1),
      }),
    ).toEqual(['setting.companies']);
    expect(await refused({ companies: [77] })).toEqual(['setting.companies']);
    expect(await refused({ schedule: { every: 'day', at: '24:00', timeZone: 'UTC' } })).toEqual([
      'setting.schedule.at',
    ]);
    expect(await refused({ schedule: { every: 'day', at: '08:00', timeZone: 'Nowhere' } })).toEqual(
      ['setting.schedule.timeZone'],
    );
    expect(await refused({ recipients: [] })).toEqual(['setting.recipients']);
    expect(
      await refused({ recipients: Array.from({ length: 21 }, (_, i) => `a${i}@example.com`) }),
    ).toEqual(['setting.recipients']);
    for (const address of [
      'nobody',
      'a@example.com, b@example.com',
      'a@example.com\r\nBcc: c@example.com',
      '<a@example.com>',
      'a b@example.com',
    ])
      expect([address, await refused({ recipients: [address] })]).toEqual([
        address,
        ['setting.recipients.0'],
      ]);
    expect(await refused({ name: 'a\r\nBcc: c@example.com' })).toEqual(['setting.name']);
    expect(await refused({ more: 1 })).toEqual(['setting.more']);
    const id = await made(who, { recipients: ['Kate@Example.com', 'kate@example.com '] });
    expect(
      (await loadSettings(who)).settings.find((one) => Object.values(one)[0] === id)?.recipients,
    ).toEqual(['kate@example.com']);
  });

  test('REPORT-4: the report of sub-providers lists those below, and nothing else', async () => {
    const boss = await reporter(demoData, 'master', ['operator']);
    const below = demoData.ground.context.chance.uuid();
    await makeTenant(demoData.store, {
      tenant: below,
      host: `${below}.example`,
      branding: defaultBranding(below, 'Below & Sons', `${below}.example`),
      isDefault: false,
    });
    const loadShown = async () =>
      (
        (
          await boss('POST', 'preview', {
            setting: {
              name: 'x',
              template: 'sspCalendarReportSummary',
              companies: [],
              period: 'last-7',
              language: 'en-US',
            },
          })
        ).body.data as { report: { sections: { rows: unknown[][] }[] } }
      ).report.sections[0]?.rows.map((row) => row.slice(0, 3));
    expect(await loadShown()).toEqual([]);
    await demoData.store.system((sql) =>
      sql
        .updateTable('tenant_list')
        .set({ master_id: demoData.tenant })
        .where('tenant_id', '=', below)
        .execute(),
    );
    expect(await loadShown()).toEqual([['Below & Sons', 0, 0]]);
  });
});
