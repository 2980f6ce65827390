import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { WebhookOut } from '#contract/notifications/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatAge, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { CATEGORY_NAMES, companiesText, getWebhookState } from './labels.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { webhookMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

export interface WebhookProps {
  readonly one: WebhookOut;
  /** Company names by number. */
  readonly names: ReadonlyMap<number, string>;
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly busy: boolean;
  readonly onTest: () => void;
  readonly onHistory: () => void;
  readonly onEdit: () => void;
  readonly onRenew: () => void;
  readonly onRemove: () => void;
}

/** A webhook: status, events and actions. */
export function Webhook({
  one,
  names,
  zone,
  now,
  offline,
  busy,
  onTest,
  onHistory,
  onEdit,
  onRenew,
  onRemove,
}: WebhookProps) {
  const state = getWebhookState(one);
  const head = `webhook-${getId(one)}`;
  const net = { disabled: offline, ...(offline && { 'data-tip': MESSAGES.needsNetwork }) };
  return (
    <section
      aria-labelledby={head}
      className="border-t-2 border-head-rule px-4 pt-3 pb-5 tablet:px-5"
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="grid min-w-0 grow basis-80 gap-0.5">
          <h2 id={head} className="m-0 text-head break-words">
            {one.name}
          </h2>
          <p className="m-0 break-all text-ink-2">{one.url}</p>
          <p className="m-0 flex flex-wrap items-center gap-x-3">
            <span className={`flex items-center gap-1.5 ${state.text}`}>
              <Icon name={state.icon} />
              {state.label}
            </span>
            <span className="text-agate text-ink-3">
              {one.lastAt !== null && (
                <time data-tip={`${formatWhen(one.lastAt, zone)}, ${formatUtc(one.lastAt)}`}>
                  {one.lastCode === null
                    ? t.lastDelivery({ age: formatAge(one.lastAt, now) })
                    : t.lastDeliveryCode({ age: formatAge(one.lastAt, now), code: one.lastCode })}
                </time>
              )}
              {one.waiting > 0 && ` · ${t.waitingCount({ count: one.waiting })}`}
            </span>
          </p>
          {one.stoppedAt !== null && !one.enabled && (
            <p className="m-0 text-ink-2">
              {t.stoppedSince({ when: formatWhen(one.stoppedAt, zone) })}
            </p>
          )}
          {one.enabled && one.failingSince !== null && (
            <p className="m-0 text-ink-2">
              {t.failingSince({ when: formatWhen(one.failingSince, zone) })}
            </p>
          )}
          <p className="m-0 text-agate break-words text-ink-3">
            {one.categories.map((category) => CATEGORY_NAMES[category]).join(' · ')}
          </p>
          <p className="m-0 flex items-center gap-1.5 text-agate text-ink-3">
            <Icon name="companies" size={12} />
            <span className="min-w-0 break-words">{companiesText(one.companies, names)}</span>
          </p>
        </div>
        <span className="flex flex-wrap gap-1">
          <CallButton
            call="testWebhook"
            size="sm"
            busy={busy}
            {...net}
            aria-label={t.sendTestNamed({ name: one.name })}
            onClick={onTest}
          >
            {t.sendTest}
          </CallButton>
          <Button size="sm" aria-label={t.historyNamed({ name: one.name })} onClick={onHistory}>
            {t.history}
          </Button>
          <CallButton
            call="changeWebhook"
            size="sm"
            variant="quiet"
            {...net}
            aria-label={t.editNamed({ name: one.name })}
            onClick={onEdit}
          >
            {ui.edit}
          </CallButton>
          <CallButton
            call="renewWebhookSecret"
            size="sm"
            variant="quiet"
            {...net}
            aria-label={t.newSecretNamed({ name: one.name })}
            onClick={onRenew}
          >
            {t.newSecret}
          </CallButton>
          <Button
            size="sm"
            variant="quiet"
            {...net}
            aria-label={ui.removeItem({ name: one.name })}
            onClick={onRemove}
          >
            {ui.remove}
          </Button>
        </span>
      </div>
    </section>
  );
}
