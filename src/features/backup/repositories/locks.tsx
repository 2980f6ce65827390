import { type BackupRepositoryRow, getObjectLock } from '#contract/backup/repositories.ts';
import type { OutputOf } from '#contract/calls.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatBytes, formatDate } from '#src/ui/format.ts';
import { lockLabel } from './lock-label.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** The result of the daily check of locked files; null: none yet. */
type Locks = OutputOf<'listBackupRepositories'>['rows'][number]['locks'];

/** How the files of a repository are locked, and until when. */
export function lockFacts(
  { target }: BackupRepositoryRow,
  usage: { readonly locks: Locks } | null,
  zone: string,
): (readonly [string, string])[] {
  const mode = getObjectLock(target);
  if (mode === null) return [];
  const locks = usage?.locks ?? null;
  return [
    [t.objectLock, lockLabel(mode)],
    [t.lockedUntil, formatLockedUntil(locks, zone)],
    ...(locks === null || locks.removedBytes === 0
      ? []
      : [
          [
            t.removedBytes,
            t.removedBytesUntil({ bytes: formatBytes(locks.removedBytes) }),
          ] as const,
        ]),
  ];
}

export const formatLockedUntil = (locks: Locks, zone: string): string =>
  locks === null
    ? t.notCheckedYet
    : locks.lockedUntil === null
      ? '–'
      : formatDate(locks.lockedUntil, zone);

/** Says that somebody else deleted or overwrote files. */
export function TamperingNote({ locks, zone }: { readonly locks: Locks; readonly zone: string }) {
  const tampering = locks?.tampering ?? null;
  if (tampering === null) return null;
  const day = formatDate(tampering.at, zone);
  return (
    <>
      {tampering.recovered > 0 && (
        <Callout tone="warning">{t.recovered({ day, count: tampering.recovered })}</Callout>
      )}
      {tampering.lost > 0 && (
        <Callout tone="failed">{t.lost({ day, count: tampering.lost })}</Callout>
      )}
    </>
  );
}
