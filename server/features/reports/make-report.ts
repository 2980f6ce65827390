import { sql } from 'kysely';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { Language } from '#contract/i18n/messages.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { CalendarCell } from '#contract/calendar/calendar.ts';
import { isBackupType } from '#contract/runs/vocabulary.ts';
import type { Figures, FiguresName, ProviderLine } from '#contract/reports/figures.ts';
import type { Body, Report } from '#contract/reports/report.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import type { Template } from '#contract/reports/template.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { providersFrom } from '#server/platform/tenancy/providers.ts';
import { companyNames, knownJobs } from '#server/platform/queries/known-jobs.ts';
import { getDays, getScope, loadCompanyLimit } from '#server/platform/queries/query.ts';
import type { Question } from '#server/platform/queries/query.ts';
import { loadSheet } from '#server/platform/queries/sheet.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadDeletedCompanyList, mayUse } from './access.ts';
import type { Rights } from './access.ts';
import { GATHER, getReportLine } from './gather.ts';
import { timeOfPeriod } from './period.ts';

/** The timeout of a database query; the report fails with it. */
const MAX_MS = 60_000;

/**
 * `write` returns the report in a language. `sees`: the companies whose results are in the report;
 * null for all.
 */
export interface Made {
  readonly write: (language: Language) => Report;
  readonly sees: readonly CompanyN[] | null;
}

/**
 * REPORT-4: gathers a report of what `rights` can see now, as of `at`. It reads one snapshot per
 * provider.
 */
export async function makeReport(
  context: AppContext,
  tenant: TenantId,
  rights: Rights,
  fields: Pick<ReportFields, 'name' | 'template' | 'companies' | 'period' | 'language'>,
  at: Ms,
): Promise<Result<Made>> {
  const template = TEMPLATES[fields.template];
  const below =
    template.figures === 'providers'
      ? (await providersFrom(context, tenant)).filter((id) => id !== tenant)
      : [];
  if (!mayUse(template, rights))
    return failed({ kind: 'forbidden', message: MESSAGES.reportNotAllowed });
  const request = await context.store.tenant(
    tenant,
    async (tx) => {
      await patiently(tx);
      const wall = await loadCompanyLimit(tx);
      const reach = getScope({ session: rights }, { companyIds: fields.companies });
      const question: Question = {
        ...timeOfPeriod(fields.period, at, wall),
        ...reach,
        wall,
        now: at,
      };
      if (fields.companies.length > 0 && reach.companies?.length === 0)
        return failed({ kind: 'forbidden', message: MESSAGES.reportNothingSeen });
      return ok({
        question,
        body:
          template.figures === 'providers'
            ? null
            : await loadBody(template, (name) => GATHER[name](tx, question)),
      });
    },
    { readOnly: true, long: true },
  );
  if (!request.ok) return request;
  const { question } = request.value;
  const body =
    request.value.body ??
    (await loadBody(TEMPLATES.sspCalendarReportSummary, async () => ({
      days: getDays(question).map(({ date }) => date),
      lines: await providerLines(context, below, question),
    })));
  const {
    from,
    to,
    wall: { timeZone },
    companies,
  } = question;
  return ok({
    write: (language) =>
      withLanguage(language, () => ({
        ...body(),
        name: fields.name,
        template: template.prettyName,
        from,
        to,
        madeAt: at,
        timeZone,
        language: fields.language,
      })),
    sees: companies,
  });
}

/**
 * Returns a function that writes the report in the current language. It is generic, because each
 * template determines the type of its figures.
 */
async function loadBody<N extends FiguresName>(
  template: Template<N>,
  gather: (name: N) => Promise<Figures[N]>,
): Promise<() => Body> {
  const figures = await gather(template.figures);
  return () => template.body(figures);
}

const patiently = async ({ sql: db }: TenantTx): Promise<unknown> =>
  sql`select set_config('statement_timeout', ${String(MAX_MS)}, true), set_config('work_mem', '32MB', true)`.execute(
    db,
  );

/**
 * Returns a line for each provider, sorted by name. The days are those of the provider that owns
 * the report.
 */
async function providerLines(
  context: AppContext,
  providers: readonly TenantId[],
  { from, to, wall, now }: Question,
): Promise<readonly ProviderLine[]> {
  const lines: ProviderLine[] = [];
  for (const id of providers) {
    lines.push(
      await context.store.tenant(
        id,
        async (tx) => {
          await patiently(tx);
          const question: Question = {
            from,
            to,
            wall,
            now,
            companies: null,
            without: await loadDeletedCompanyList(tx),
          };
          const days = getDays(question);
          const jobs = [...(await knownJobs(tx, question)).values()];
          const { branding } = await tx.sql
            .selectFrom('provider')
            .select('branding')
            .where('tenant_id', '=', id)
            .executeTakeFirstOrThrow();
          const [row] =
            jobs.length === 0
              ? [
                  {
                    cells: days.map((): { state: CalendarCell; bad: number } => ({
                      state: null,
                      bad: 0,
                    })),
                    counts: new Map(),
                    share: null,
                    judged: 0,
                    good: 0,
                  },
                ]
              : await loadSheet(tx, question, days, [jobs], 'worst', isBackupType);
          if (!row) throw new RangeError('a report: a provider without a row');
          const line = getReportLine({
            ...row,
            cells: row.cells.map((cell) => ({ runs: 0, ...cell })),
          });
          return {
            provider: branding.name,
            companies: [...(await companyNames(tx)).keys()].filter(
              (n) => !question.without.includes(n),
            ).length,
            jobs: jobs.length,
            ...line,
          };
        },
        { readOnly: true, long: true },
      ),
    );
  }
  return lines.toSorted((a, b) => a.provider.localeCompare(b.provider, 'en'));
}
