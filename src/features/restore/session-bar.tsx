import type { RefCallback } from 'react';
import { useNow } from '#src/app/clock.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { formatDuration, formatTime, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { SectionLink } from '../shared/section-link.tsx';
import { AUDIT_DEFAULTS, auditAddress } from './audit/address.ts';
import { useOperator } from './operator/context.ts';
import type { RestoreSession } from './use-restore-session.ts';
import { restoreMessages as t } from './messages.en.ts';

/** What the open session shows, since when, and when it ends. */
export function SessionBar({
  session,
  organization,
  job,
  isCompact,
  onPoints,
  changeButton,
}: {
  readonly session: RestoreSession;
  readonly organization: string;
  /** Null: unknown. */
  readonly job: string | null;
  /** Only what it shows, on a phone. */
  readonly isCompact: boolean;
  /** Opens the restore points, which have no room above a folder on a phone. */
  readonly onPoints: (() => void) | null;
  /** Gets the button that opens them. */
  readonly changeButton: RefCallback<HTMLButtonElement>;
}) {
  const isOperator = useOperator() !== null;
  const zone = useZone();
  const now = useNow(30_000);
  const { point, openedAt, endsAt, state } = session;
  if (point === null || openedAt === null || endsAt === null) return null;
  const when = formatWhen(point.at, zone);
  const shown =
    job === null ? t.sessionAt({ organization, when }) : t.sessionJob({ organization, when, job });
  const minutes = Math.floor(Math.max(0, endsAt - now) / 60_000);
  return (
    <section
      aria-label={t.sessionOpen}
      className="flex min-h-10 shrink-0 items-center gap-x-2.5 border-b border-rule bg-running-wash px-4 pt-2 pb-1 tablet:px-5 tablet:py-1"
    >
      <Icon name="history" className="text-running" />
      <b className="shrink-0 text-running max-tablet:sr-only">{t.sessionOpen}</b>
      <span className="flex min-w-0 grow flex-wrap items-center gap-x-2.5 gap-y-0.5">
        {onPoints !== null ? (
          <button
            ref={changeButton}
            type="button"
            aria-haspopup="dialog"
            className="flex min-h-11 min-w-0 items-center gap-1.5 rounded-part text-left"
            onClick={onPoints}
          >
            <span className="grid min-w-0">
              <span className="truncate text-agate text-ink-2">{organization}</span>
              <span className="truncate font-semibold">
                <span className="sr-only">{t.changePoint} </span>
                {when}
              </span>
            </span>
            <Icon name="chevron-down" className="text-ink-2" />
          </button>
        ) : (
          <span className="min-w-0 grow tablet:truncate" data-tip={shown}>
            {shown}
          </span>
        )}
        {!isCompact && (
          <span className="flex flex-wrap items-center gap-x-2.5">
            <span className="text-ink-2">
              {t.openedAt({
                time: formatTime(openedAt, zone),
                left: minutes < 1 ? t.underMinute : formatDuration(minutes * 60),
              })}
            </span>
            {!isOperator && session.id !== null && (
              <SectionLink
                href={auditAddress({ ...AUDIT_DEFAULTS, session: session.id })}
                className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
              >
                {t.sessionAudit}
              </SectionLink>
            )}
          </span>
        )}
      </span>
      <Button size="sm" icon="stop" busy={state === 'stopping'} onClick={session.stop}>
        {t.stopSession}
      </Button>
    </section>
  );
}
