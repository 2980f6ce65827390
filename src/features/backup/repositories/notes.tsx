import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { Ms } from '#contract/ids.ts';
import { Badge } from '#src/ui/badge.tsx';
import { formatDate } from '#src/ui/format.ts';
import { Moment } from '../moment.tsx';
import { describeRetention } from './retention-label.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** A change that waits for its day: the deletion of the repository, or a shorter retention. */
export function RepositoryNotes({
  row,
  zone,
}: {
  readonly row: BackupRepositoryRow;
  readonly zone: string;
}) {
  if (row.deletesAt !== null)
    return <Badge tone="failed">{t.deletedOn({ day: formatDate(row.deletesAt, zone) })}</Badge>;
  if (row.shortened !== null)
    return (
      <Badge tone="warning">
        {t.shortenedOn({
          years: describeRetention(row.shortened),
          day: formatDate(row.shortened.appliesAt, zone),
        })}
      </Badge>
    );
  return null;
}

/** When all data was last read and checked, and how many objects lost some. */
export function VerifiedNote({
  row,
  now,
}: {
  readonly row: BackupRepositoryRow;
  readonly now: Ms;
}) {
  // Other servers verify their repositories themselves.
  if (row.target.type === 'Server') return <span className="text-ink-3">–</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Moment at={row.verifiedAt} now={now} never={t.never} />
      {row.damaged > 0 && <Badge tone="failed">{t.damagedShort({ count: row.damaged })}</Badge>}
    </span>
  );
}
