import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Ms } from '#contract/ids.ts';
import { formatDate } from '#src/ui/format.ts';
import { StateText } from '../state-text.tsx';
import { CERTIFICATE_NOTICE_DAYS, daysLeft, getHealth } from './health.ts';
import { healthLabel } from './labels.ts';
import { organizationMessages as t } from './messages.en.ts';

/** The worst of an organization's certificate and its jobs. */
export function HealthMark({
  row,
  jobs,
  now,
}: {
  readonly row: OrganizationRow;
  readonly jobs: readonly BackupJobRow[];
  readonly now: Ms;
}) {
  return <StateText label={healthLabel(getHealth(row, jobs, now))} />;
}

/** How long the certificate is valid. */
export function CertificateDays({
  row: { certificate },
  now,
  zone,
}: {
  readonly row: Pick<OrganizationRow, 'certificate'>;
  readonly now: Ms;
  readonly zone: string;
}) {
  if (certificate === null) return <span className="text-ink-3">{t.noCertificate}</span>;
  const left = daysLeft(certificate.expiresAt, now);
  return (
    <span
      className={
        left < 0
          ? 'font-semibold text-failed'
          : left < CERTIFICATE_NOTICE_DAYS
            ? 'text-warning'
            : 'text-ink-2'
      }
      data-tip={t.expiresOn({ day: formatDate(certificate.expiresAt, zone) })}
    >
      {left < 0 ? t.expired : t.days({ count: left })}
    </span>
  );
}

/** An id or a thumbprint. */
export const Code = ({ children }: { readonly children: string }) => (
  <code className="font-mono text-agate break-all">{children}</code>
);

/** When the last restore point of these jobs was made. */
export const getLastPoint = (jobs: readonly BackupJobRow[]): Ms | null =>
  jobs.reduce<Ms | null>(
    (last, { lastPointAt }) => (lastPointAt === null ? last : Math.max(last ?? 0, lastPointAt)),
    null,
  );
