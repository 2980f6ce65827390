import { useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { DeliveryOut } from '#contract/notifications/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatTime, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { DELIVERY_BADGES, eventText, responseText } from './labels.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { webhookMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

export interface HistoryProps {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly onClose: () => void;
}

/** Deliveries of a webhook, newest first; failed ones can be sent again. */
export function History({ id, name, enabled, zone, now, offline, onClose }: HistoryProps) {
  const request = useCachedQuery('listDeliveries', { id }, { everyMs: EVERY_MS });
  const rows = request.value?.deliveries ?? null;
  const [shown, setShown] = useState<string | null>(null);
  async function again(one: DeliveryOut): Promise<void> {
    const details = await client().ask('redeliver', { id, delivery: getId(one) });
    if (details.ok) showSuccess(t.sentAgain);
    else showFailure(details.failure.message);
    request.again();
  }
  return (
    <Dialog
      title={t.historyNamed({ name })}
      wide
      onClose={onClose}
      footer={<Button onClick={onClose}>{ui.close}</Button>}
    >
      {rows === null ? (
        <p className="m-0 px-5 py-4 text-ink-2">
          {request.failure === null
            ? t.loading
            : offline
              ? MESSAGES.needsNetwork
              : request.failure.message}
        </p>
      ) : rows.length === 0 ? (
        <p className="m-0 px-5 py-4 text-ink-2">{t.noDeliveries}</p>
      ) : (
        <>
          {request.failure !== null && (
            <div className="px-5 pt-3">
              <Callout tone="warning">
                {request.at === null
                  ? MESSAGES.needsNetwork
                  : t.deliveriesFrom({ when: formatWhen(request.at, zone) })}
              </Callout>
            </div>
          )}
          <ul aria-label={t.deliveries} className="m-0 list-none px-5 py-2">
            {rows.map((one) => {
              const { label, icon, text } = DELIVERY_BADGES[one.state];
              const key = getId(one);
              const what = eventText(one);
              const when = formatWhen(one.madeAt, zone);
              return (
                <li key={key} className="border-b border-hair py-2 last:border-0">
                  <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
                    <span className="min-w-0 grow basis-56">
                      <b className="block break-words">{what}</b>
                      <span className={`flex items-center gap-1.5 ${text}`}>
                        <Icon name={icon} />
                        {label}
                      </span>
                      <span className="block text-agate break-words text-ink-3">
                        <time data-tip={formatUtc(one.madeAt)}>{when}</time>
                        {responseText(one) !== '' && ` · ${responseText(one)}`}
                        {one.nextAt !== null &&
                          one.nextAt > now &&
                          ` · ${t.nextTry({ time: formatTime(one.nextAt, zone) })}`}
                      </span>
                    </span>
                    <Button
                      size="sm"
                      variant="quiet"
                      aria-expanded={shown === key}
                      aria-label={t.showMessageNamed({ event: what, when })}
                      onClick={() => setShown(shown === key ? null : key)}
                    >
                      {t.showMessage}
                    </Button>
                    {one.category !== 'test' && one.state !== 'waiting' && (
                      <Button
                        size="sm"
                        disabled={offline || !enabled}
                        {...(!enabled && { 'data-tip': MESSAGES.webhookOff })}
                        aria-label={t.sendAgainNamed({ event: what, when })}
                        onClick={() => void again(one)}
                      >
                        {t.sendAgain}
                      </Button>
                    )}
                  </div>
                  {shown === key && (
                    <pre className="m-0 mt-2 rounded-part bg-wash px-3 py-2 font-mono text-agate break-all whitespace-pre-wrap">
                      {pretty(one.body)}
                    </pre>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
const EVERY_MS = 5_000;
