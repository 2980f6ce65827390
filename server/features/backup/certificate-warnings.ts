import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { mailAdministrators } from '#server/platform/mail/mail-administrators.ts';
import { backupMessages as t } from './messages.en.ts';

/** How many days before a certificate expires administrators get an email, the last one first. */
const NOTICE_DAYS = [7, 30] as const;

/**
 * ENG-82: emails the administrators who see the company 30 and 7 days before the certificate of an
 * organization's application expires, once each. A renewed certificate has its own time.
 */
export const warnOfCertificates =
  (context: AppContext) =>
  async (tx: TenantTx, now: Ms): Promise<void> => {
    const due = (await tx.all('organization')).flatMap((row) => {
      const notice = findNotice(row, now);
      return notice === null ? [] : [{ row, ...notice }];
    });
    if (due.length === 0) return;
    const address = await loadPortalAddress(tx, context);
    for (const { row, warned, expiresAt } of due) {
      // Only the first to store it sends it.
      const stored = await tx.sql
        .updateTable('organization_access')
        .set({ warned })
        .where('tenant_id', '=', tx.tenant)
        .where('organization_id', '=', row.id)
        .where((e) => e.or([e('warned', 'is', null), e('warned', '!=', warned)]))
        .executeTakeFirst();
      if (stored.numUpdatedRows === 0n) continue;
      const link =
        address === null
          ? ''
          : `\n\n${address}/o365/organizations/certificate/${row.company}/${row.id}`;
      await mailAdministrators(tx, context, row.company, (company) => {
        const about = { name: row.name, company, day: formatMoment(expiresAt) };
        return {
          subject: t.certificateSubject(about),
          text: `${t.certificateExpires(about)}\n\n${t.certificateNext}${link}\n`,
        };
      });
    }
  };

/** Which notice is due: the latest one. Null: none, or it has expired. */
function findNotice(
  { certificate, removedAt }: Pick<OrganizationRow, 'certificate' | 'removedAt'>,
  now: Ms,
): { readonly warned: string; readonly expiresAt: Ms } | null {
  if (certificate === null || removedAt !== null) return null;
  const { thumbprint, expiresAt } = certificate;
  const left = expiresAt - now;
  const days = NOTICE_DAYS.find((notice) => left <= notice * DAY_MS);
  return days === undefined || left <= 0 ? null : { warned: `${thumbprint}:${days}`, expiresAt };
}
