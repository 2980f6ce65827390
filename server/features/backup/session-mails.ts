import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadMailAddress } from '#server/platform/auth/email-confirmation.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { loadUserLanguage, languageOfAddress } from '#server/platform/tenancy/reader-language.ts';
import { loadAddresses } from './job-fields.ts';
import type { EndedSession, SessionDetails } from './session-execution.ts';
import { sessionMailMessages as t } from './session-mails.messages.en.ts';

/** A finished session, with its job and organization as they are now. */
export interface SessionReport {
  readonly organization: Pick<OrganizationRow, 'name'>;
  readonly job: BackupJobRow;
  readonly ended: EndedSession;
  readonly startedAt: Ms;
  readonly details: SessionDetails | null;
}

/** News of an earlier day no longer help. */
const MAX_AGE_MS: Ms = 24 * 3_600_000;
const MAX_OBJECTS = 20;

/** SUITE-33: queues an email to each recipient of the jobs' sessions, in the caller's transaction. */
export async function mailSessions(
  tx: TenantTx,
  context: AppContext,
  reports: readonly SessionReport[],
  timeZone: string,
): Promise<void> {
  const wanted = reports.filter((report) => isWanted(report, context.clock.now()));
  if (wanted.length === 0) return;
  const portal = await loadPortalAddress(tx, context);
  const companies = await tx.rows('company', [...new Set(wanted.map(({ job }) => job.company))]);
  for (const report of wanted) {
    const company = companies.get(report.job.company)?.name ?? '';
    for (const { to, language } of await loadRecipients(tx, report.job))
      await post(tx, context, {
        kind: 'mail',
        to,
        ...withLanguage(language, () => writeMail(report, { company, portal, timeZone })),
      });
  }
}

/** A session has failures if it failed, or one of its mailboxes and drives did. */
const isWanted = ({ job, ended: { result, counts, at } }: SessionReport, now: Ms): boolean =>
  job.removedAt === null &&
  job.notifications.enabled &&
  (!job.notifications.notifyOnFailure || result === 'failed' || counts.failed > 0) &&
  now - at < MAX_AGE_MS;

/** Users who still see the company, and other addresses, each once. */
async function loadRecipients(tx: TenantTx, { id, company, notifications }: BackupJobRow) {
  const recipients = new Map<string, Awaited<ReturnType<typeof loadUserLanguage>>>();
  const users = await tx.rows('user', notifications.userIds);
  for (const user of users.values()) {
    const isReader =
      user.deletedAt === null && (user.companies === null || user.companies.includes(company));
    const address = isReader ? await loadMailAddress(tx, user.id) : null;
    if (address !== null)
      recipients.set(address.toLowerCase(), await loadUserLanguage(tx, user.id));
  }
  for (const address of await loadAddresses(tx, id))
    if (!recipients.has(address)) recipients.set(address, await languageOfAddress(tx, address));
  return [...recipients].map(([to, language]) => ({ to, language }));
}

function writeMail(
  { organization, job, ended, startedAt, details }: SessionReport,
  {
    company,
    portal,
    timeZone,
  }: { readonly company: string; readonly portal: string | null; readonly timeZone: string },
): { readonly subject: string; readonly text: string } {
  const { result, counts, message } = ended;
  const troubled = (details?.session.objects ?? []).filter(
    ({ state }) => state === 'failed' || state === 'warning',
  );
  const head = t[result]({ job: job.name, organization: organization.name });
  const rest = troubled.length - MAX_OBJECTS;
  return {
    subject: head.replaceAll(/\s+/g, ' ').slice(0, 150),
    text: `${[
      head,
      ...(message === null ? [] : [message]),
      [
        t.company({ company }),
        t.started({ when: formatMoment(startedAt, timeZone) }),
        t.ended({ when: formatMoment(details?.session.endedAt ?? ended.at, timeZone) }),
        t.objects({ done: counts.succeeded + counts.warned, count: counts.objects }),
      ].join('\n'),
      ...(troubled.length === 0
        ? []
        : [
            [
              ...troubled
                .slice(0, MAX_OBJECTS)
                .map(({ name, message: reason }) => `- ${name}: ${reason ?? ''}`),
              ...(rest > 0 ? [t.more({ count: rest })] : []),
            ].join('\n'),
          ]),
      ...(portal === null ? [] : [`${portal}/o365/jobs?open=${job.id}`]),
      t.why({ job: job.name }),
    ].join('\n\n')}\n`,
  };
}
