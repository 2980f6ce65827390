import { MESSAGES } from '#contract/messages.ts';
import type { SettingOut } from '#contract/reports/calls.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { Button } from '#src/ui/button.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { FORMAT_WORDS, PERIOD_WORDS, scheduleWords, SENT_WORDS } from './labels.ts';
import { reportMessages as t } from './messages.en.ts';

export interface ReportListProps {
  readonly settings: readonly SettingOut[];
  readonly zone: string;
  readonly offline: boolean;
  /** Id of the report that is being sent or changed. */
  readonly busy: string | null;
  readonly companyName: (n: number) => string;
  readonly onOpen: (id: string) => void;
  readonly onSend: (id: string) => void;
  readonly onSwitch: (setting: SettingOut) => void;
  readonly onHistory: (id: string) => void;
}

/** Reports by name: content, schedule and recipients. */
export function ReportList({
  settings,
  zone,
  offline,
  busy,
  companyName,
  onOpen,
  onSend,
  onSwitch,
  onHistory,
}: ReportListProps) {
  return (
    <ul className="m-0 list-none p-0" aria-label={t.scheduledReports}>
      {settings.map((setting) => {
        const {
          _id: id,
          name,
          template,
          companies,
          period,
          schedule,
          recipients,
          format,
          enabled,
          owner,
          mine,
          gone,
          nextAt,
          last,
        } = setting;
        const state = last && SENT_WORDS[last.state];
        const about = [
          TEMPLATES[template].prettyName,
          ...(companies.length <= 2
            ? companies.map(companyName)
            : [t.companyCount({ count: companies.length })]),
          PERIOD_WORDS[period],
          FORMAT_WORDS[format],
          t.recipientCount({ count: recipients.length }),
        ].join(' · ');
        return (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-b border-hair px-4 py-2 tablet:grid-cols-[minmax(0,1fr)_13rem_6.5rem_auto] tablet:px-5"
          >
            <button
              type="button"
              data-report={id}
              className={`min-w-0 rounded-part py-1 text-left pointer-coarse:min-h-11 ${enabled ? '' : 'text-ink-3'}`}
              onClick={() => onOpen(id)}
            >
              <span className="block font-semibold break-words">{name}</span>
              <span
                className={`block break-words tablet:line-clamp-3 ${enabled ? 'text-ink-2' : ''}`}
              >
                {about}
              </span>
              <span className="block text-agate text-ink-3">
                {scheduleWords(schedule)}
                {!mine && ` · ${t.ownedBy({ owner })}`}
              </span>
              {gone && (
                <span className="block text-agate font-semibold text-failed">
                  {MESSAGES.reportOwnerGone}
                </span>
              )}
            </button>
            <span className="col-start-1 row-start-2 text-agate text-ink-2 tablet:col-start-2 tablet:row-start-1">
              {enabled && nextAt !== null
                ? t.nextRun({ when: formatWhen(nextAt, zone) })
                : t.notScheduled}
              {last !== null && state !== null && (
                <button
                  type="button"
                  className={`flex items-center gap-1.5 rounded-part text-left underline decoration-rule underline-offset-2 pointer-coarse:min-h-11 ${state.text}`}
                  onClick={() => onHistory(id)}
                >
                  <Icon name={state.icon} size={12} />
                  {`${state.label} ${formatWhen(last.at, zone)}`}
                </button>
              )}
            </span>
            <span className="col-start-2 row-start-1 tablet:col-start-3">
              <Switch
                label={enabled ? t.on : t.off}
                on={enabled}
                disabled={offline || busy !== null}
                onChange={() => onSwitch(setting)}
              />
            </span>
            <span className="col-start-2 row-start-2 flex justify-end tablet:col-start-4 tablet:row-start-1">
              <Button
                size="sm"
                icon="mail"
                busy={busy === id}
                disabled={offline || (busy !== null && busy !== id)}
                aria-label={t.sendNamedNow({ name })}
                {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
                onClick={() => onSend(id)}
              >
                {t.sendNow}
              </Button>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
