import type { Ms } from '#contract/ids.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import { dueAfter } from '../features/reports/schedule.ts';
import type { AppContext } from '../platform/app-context.ts';
import { getUuid } from './random.ts';
import type { ProviderPlan } from './plan.ts';

const BORN: Ms = 3_600_000;

/**
 * Creates three scheduled reports of the first technician. Runs only for new demo data, so deleted
 * reports don't come back.
 */
export async function settleReports(context: AppContext, plan: ProviderPlan): Promise<void> {
  const at = context.clock.now();
  const [technician] = plan.people.filter((one) => one.technician && one.company === null);
  if (!technician || at - plan.bornAt > BORN) return;
  await context.store.tenant(plan.id, async (tx) => {
    const owner = await tx.sql
      .selectFrom('person')
      .select('id')
      .where('tenant_id', '=', plan.id)
      .where('username', '=', technician.username)
      .executeTakeFirst();
    if (!owner) return;
    const {
      branding: { timeZone },
    } = plan;
    const numbers = (await tx.all('company')).map(({ n }) => n).toSorted((a, b) => a - b);
    for (const [turn, fields] of getReports(timeZone, numbers).entries()) {
      await tx.sql
        .insertInto('report_setting')
        .values({
          tenant_id: plan.id,
          id: getUuid(plan.seed, 'report', turn),
          owner_id: owner.id,
          fields: JSON.stringify(fields),
          next_at: fields.enabled ? dueAfter(fields.schedule, at) : null,
          made_at: at,
          changed_at: at,
        })
        .onConflict((on) => on.doNothing())
        .execute();
    }
  });
}

const getReports = (timeZone: string, companies: readonly number[]): readonly ReportFields[] => {
  const usual = { format: 'pdf', language: 'en-US', enabled: true } as const;
  return [
    {
      ...usual,
      name: 'Monday overview',
      template: 'calendarReportSummary',
      companies: [],
      period: 'last-7',
      schedule: { every: 'week', weekday: 1, at: '07:30', timeZone },
      recipients: ['desk@example.com'],
    },
    {
      ...usual,
      name: 'What happened overnight',
      template: 'detailReport',
      companies: [],
      period: 'last-2',
      schedule: { every: 'day', at: '07:00', timeZone },
      recipients: ['desk@example.com'],
      format: 'html',
      enabled: false,
    },
    {
      ...usual,
      name: 'Monthly report for our largest customer',
      template: 'calendarReportCompanyFull',
      companies: companies.slice(0, 1),
      period: 'last-month',
      schedule: { every: 'month', day: 1, at: '08:00', timeZone },
      recipients: ['customer@example.org', 'desk@example.com'],
    },
  ];
};
