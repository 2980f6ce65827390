import { gzipSync } from 'node:zlib';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { Language } from '#contract/i18n/messages.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { csvName } from '#contract/runs/csv.ts';
import { firstRows, rowsIn } from '#contract/reports/report.ts';
import type { Report } from '#contract/reports/report.ts';
import type { ReportFormat } from '#contract/reports/setting.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { columnOver } from '../../platform/clock-bounds.ts';
import { loadUnverifiedAddress } from '#server/platform/auth/email-confirmation.ts';
import { describeError } from '#server/platform/http/serve-call.ts';
import { storeBlob } from '#server/platform/db/blob-store.ts';
import { isLeftBehind } from '#server/platform/jobs/leases.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { loadUserLanguage, languageOfAddress } from '#server/platform/tenancy/reader-language.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { mayReport, loadRights } from './access.ts';
import { loadReportBranding } from './branding.ts';
import { reportMail } from './mail.ts';
import { makeReport } from './make-report.ts';
import { render, RENDER_MS } from './render/render.ts';
import type { SentRow } from './sent.ts';

/**
 * Longer than any report takes. The server that takes over the job of a killed one doesn't wait for
 * its end.
 */
const HELD_MS: Ms = RENDER_MS + 5 * 60_000;
const MAX_TRIES = 3;
const TYPES: Readonly<Record<ReportFormat, string>> = {
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/**
 * Makes and sends the next waiting report. Returns false if none is waiting. `lease`: of the job
 * (JOB-11).
 */
export async function sendNext(
  context: AppContext,
  tenant: TenantId,
  lease: string,
): Promise<boolean> {
  const row = await context.store.tenant(tenant, async ({ sql }) => {
    const now = context.clock.now();
    const next = await sql
      .selectFrom('report_sent')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where((e) =>
        e.or([
          e('state', '=', 'waiting'),
          e.and([
            e('state', '=', 'making'),
            e.or([columnOver('held_until', now, HELD_MS), isLeftBehind('held_by', lease)]),
          ]),
        ]),
      )
      .orderBy('made_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (next)
      await sql
        .updateTable('report_sent')
        .set({ state: 'making', held_until: now + HELD_MS, held_by: lease, tries: next.tries + 1 })
        .where('tenant_id', '=', tenant)
        .where('id', '=', next.id)
        .execute();
    return next;
  });
  if (!row) return false;
  if (row.tries >= MAX_TRIES) {
    await giveUp(context, tenant, row, lease, MESSAGES.reportNotMade);
    return true;
  }
  try {
    const error = await sendOne(context, tenant, row, lease);
    if (error !== null) await giveUp(context, tenant, row, lease, error);
  } catch (error) {
    context.log.error('a report could not be sent', { tenant, ...describeError(error) });
    await giveUp(context, tenant, row, lease, MESSAGES.reportNotMade);
  }
  return true;
}

/** Returns why the report was not sent; null if it was queued. */
async function sendOne(
  context: AppContext,
  tenant: TenantId,
  row: SentRow,
  lease: string,
): Promise<string | null> {
  const { fields } = row;
  const at = row.due_at ?? row.made_at;
  const { rights, look, portal, languages } = await context.store.tenant(
    tenant,
    async (tx) => {
      const owner = await loadRights(tx, row.owner_id);
      return {
        rights: owner && (await mayReport(tx, owner)) ? owner : null,
        look: await loadReportBranding(tx),
        portal: await loadPortalAddress(tx, context),
        languages: await loadLanguages(tx, row),
      };
    },
    { readOnly: true },
  );
  if (rights === null) return MESSAGES.reportOwnerGone;
  // REPORT-5: uses the owner's current rights, not those at the time of setup.
  const made = await makeReport(context, tenant, rights, fields, at);
  if (!made.ok) return made.failure.message;
  const { sees, write } = made.value;
  const report = write(languages.owner);
  const name = fileName(report, fields, at);
  const editions = new Map<Language, Edition>();
  for (const language of new Set([languages.owner, ...languages.recipients.values()])) {
    const own = language === languages.owner ? report : write(language);
    const drawn = await render(context, {
      report: own,
      look,
      format: fields.format,
      language: language.tag,
    });
    if (drawn.kind === 'late') return MESSAGES.reportTooLate;
    if (drawn.kind === 'broken') throw drawn.error;
    if (drawn.bytes.byteLength > LIMITS.reportFileBytes) return MESSAGES.reportFileTooLarge;
    editions.set(language, {
      bytes: drawn.bytes,
      mail: withLanguage(language, () => reportMail(own, look, name, portal)),
    });
  }
  const shown = getData(report);
  await context.store.tenant(tenant, async (tx) => {
    const now = context.clock.now();
    const until = now + LIMITS.reportKeepMs;
    const still = await tx.sql
      .selectFrom('report_sent')
      .select('state')
      .where('tenant_id', '=', tenant)
      .where('id', '=', row.id)
      .where('held_by', '=', lease)
      .forUpdate()
      .executeTakeFirst();
    // Another server has taken over.
    if (still?.state !== 'making') return;
    const sent = new Map<Language, { readonly file: string; readonly mail: Edition['mail'] }>();
    for (const [language, { bytes, mail }] of editions)
      sent.set(language, {
        file: await storeBlob(tx, context, { name, type: TYPES[fields.format], bytes, until }),
        mail,
      });
    const own = sent.get(languages.owner);
    if (!own) throw new Error('a report without the edition of its owner');
    const data = await storeBlob(tx, context, {
      name: 'report.json.gz',
      type: 'application/gzip',
      bytes: shown,
      until,
    });
    const mails: SentRow['mails'][number][] = [];
    const unverified = await loadUnverifiedAddress(tx, row.owner_id);
    for (const to of fields.recipients) {
      // EMAIL-2: an owner's own address gets nothing until it is confirmed.
      if (to.toLowerCase() === unverified)
        mails.push({
          id: context.chance.uuid(),
          to,
          state: 'failed',
          at: null,
          fault: MESSAGES.reportAddressNotConfirmed,
        });
      else {
        const { file, mail } = sent.get(languages.recipients.get(to) ?? languages.owner) ?? own;
        mails.push({
          id: await post(tx, context, { kind: 'mail', to, ...mail, files: [file] }),
          to,
          state: 'sending',
          at: null,
          fault: null,
        });
      }
    }
    await tx.sql
      .updateTable('report_sent')
      .set({
        state: 'sending',
        held_until: null,
        done_at: now,
        sees: JSON.stringify(sees),
        told: JSON.stringify({
          from: report.from,
          to: report.to,
          rows: rowsIn(report),
          fault: null,
        }),
        mails: JSON.stringify(mails),
        file_id: own.file,
        data_id: data,
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', row.id)
      .execute();
  });
  return null;
}

/** The file and the email of a report in one language. */
interface Edition {
  readonly bytes: Uint8Array;
  readonly mail: ReturnType<typeof reportMail>;
}

/** Returns the language of the owner, who can open the file later, and of each recipient. */
async function loadLanguages(
  tx: TenantTx,
  { owner_id, fields }: SentRow,
): Promise<{ readonly owner: Language; readonly recipients: ReadonlyMap<string, Language> }> {
  const recipients = new Map<string, Language>();
  for (const to of fields.recipients) recipients.set(to, await languageOfAddress(tx, to));
  return { owner: await loadUserLanguage(tx, owner_id), recipients };
}

/** Returns the first rows, for viewing the report on the page. */
const getData = (report: Report): Uint8Array =>
  gzipSync(
    JSON.stringify({ report: firstRows(report, LIMITS.reportShownRows), rows: rowsIn(report) }),
  );

const fileName = ({ timeZone }: Report, { template, format }: SentRow['fields'], at: Ms): string =>
  csvName(TEMPLATES[template].templateName, at, timeZone).replace(/csv$/, format);

const giveUp = (
  context: AppContext,
  tenant: TenantId,
  { id, told: details }: SentRow,
  lease: string,
  error: string,
): Promise<unknown> =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('report_sent')
      .set({
        state: 'failed',
        held_until: null,
        held_by: null,
        done_at: context.clock.now(),
        told: JSON.stringify({ ...details, fault: error }),
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('state', '=', 'making')
      .where('held_by', '=', lease)
      .execute(),
  );
