import type { Ms } from '#contract/ids.ts';
import type { SlaOut } from '#contract/sla/calls.ts';
import { formatAge, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { scopeText, stateText, targetText } from './labels.ts';
import { slaMessages as t } from './messages.en.ts';

export interface AlarmListProps {
  readonly alarms: readonly SlaOut[];
  readonly zone: string;
  readonly now: Ms;
  readonly getName: (company: number) => string;
  /** Null: the user may not change alarms. */
  readonly onOpen: ((id: string) => void) | null;
}

/** Alarms, broken ones first: scope, target and status. */
export function AlarmList({ alarms, zone, now, getName, onOpen }: AlarmListProps) {
  return (
    <ul className="m-0 list-none border-t-2 border-head-rule p-0">
      {alarms.map(({ _id: id, ...alarm }) => {
        const name = (
          <>
            <span
              className={`block font-semibold break-words ${alarm.enabled ? '' : 'text-ink-3'}`}
            >
              {alarm.name}
            </span>
            <span className="block break-words text-ink-2">{scopeText(alarm, getName)}</span>
          </>
        );
        return (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)] gap-x-4 border-b border-hair px-4 py-2 tablet:grid-cols-[9rem_minmax(0,1fr)_minmax(0,16rem)] tablet:px-5"
          >
            <span className="flex items-baseline gap-2 py-1">
              <State alarm={alarm} />
            </span>
            <div className="min-w-0">
              {onOpen === null ? (
                <div className="py-1">{name}</div>
              ) : (
                <button
                  type="button"
                  data-alarm={id}
                  className="w-full min-w-0 rounded-part py-1 text-left pointer-coarse:min-h-11"
                  onClick={() => onOpen(id)}
                >
                  {name}
                </button>
              )}
              {alarm.late.length > 0 && <Late alarm={alarm} zone={zone} />}
            </div>
            <div className="py-1 text-agate text-ink-2">
              <span className="block">{targetText(alarm)}</span>
              <span className={`block ${alarm.isMet ? '' : 'text-failed'}`}>
                {stateText(alarm)}
              </span>
              {alarm.brokenSince !== null && (
                <span className="block text-ink-3">
                  {t.missedSince({ age: formatAge(alarm.brokenSince, now) })}
                </span>
              )}
              <span className="block text-ink-3">
                {alarm.recipients.length === 0
                  ? t.noRecipients
                  : t.recipients({ count: alarm.recipients.length })}
              </span>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function State({
  alarm: { isMet, enabled },
}: {
  readonly alarm: Pick<SlaOut, 'isMet' | 'enabled'>;
}) {
  if (!enabled)
    return (
      <>
        <Icon name="minus" className="translate-y-0.5 text-ink-3" />
        <span className="text-ink-3">{t.off}</span>
      </>
    );
  return isMet ? (
    <>
      <Icon name="success" className="translate-y-0.5 text-success" />
      {t.onTarget}
    </>
  ) : (
    <>
      <Icon name="failed" className="translate-y-0.5 text-failed" />
      <span className="font-semibold text-failed">{t.missed}</span>
    </>
  );
}

function Late({
  alarm: { late, lateCount, job },
  zone,
}: {
  readonly alarm: Pick<SlaOut, 'late' | 'lateCount' | 'job'>;
  readonly zone: string;
}) {
  const shown = late.slice(0, 3);
  const more = lateCount - shown.length;
  const when = (at: Ms | null): string =>
    at === null ? t.noGoodYet : t.lastGood({ when: formatWhen(at, zone) });
  const [only] = late;
  if (job !== null)
    return <p className="m-0 text-agate text-ink-2">{when(only?.lastSuccessAt ?? null)}</p>;
  return (
    <ul className="m-0 list-none p-0 text-agate text-ink-2">
      {shown.map(({ jobInstanceUid, jobName, companyName, lastSuccessAt }) => (
        <li key={`${companyName} ${jobInstanceUid}`} className="break-words">
          {t.lateJob({ job: jobName, company: companyName, state: when(lastSuccessAt) })}
        </li>
      ))}
      {more > 0 && <li>{t.moreJobs({ count: more })}</li>}
    </ul>
  );
}
