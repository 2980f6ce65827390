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
import { tell, tellFailure } from '#src/ui/toasts.ts';
import { answered, DELIVERY_STATES, holds, idOf } from './labels.ts';

export interface HistoryProps {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly onClose: () => void;
}

/** What was delivered to an address, the newest first, and what of it can be sent once more. */
export function History({ id, name, enabled, zone, now, offline, onClose }: HistoryProps) {
  const asked = useCachedQuery('listDeliveries', { id }, { everyMs: EVERY_MS });
  const rows = asked.value?.deliveries ?? null;
  const [shown, setShown] = useState<string | null>(null);
  async function again(one: DeliveryOut): Promise<void> {
    const told = await client().ask('redeliver', { id, delivery: idOf(one) });
    if (told.ok) tell('It is sent again');
    else tellFailure(told.failure.message);
    asked.again();
  }
  return (
    <Dialog
      title={`History of ${name}`}
      wide
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {rows === null ? (
        <p className="m-0 px-5 py-4 text-ink-2">
          {asked.failure === null
            ? 'Opening…'
            : offline
              ? MESSAGES.needsNetwork
              : asked.failure.message}
        </p>
      ) : rows.length === 0 ? (
        <p className="m-0 px-5 py-4 text-ink-2">
          Nothing was delivered yet. Send a test to see how the address answers.
        </p>
      ) : (
        <>
          {asked.failure !== null && (
            <div className="px-5 pt-3">
              <Callout tone="warning">
                {asked.at === null ? MESSAGES.needsNetwork : `As of ${formatWhen(asked.at, zone)}.`}
              </Callout>
            </div>
          )}
          <ul aria-label="Deliveries" className="m-0 list-none px-5 py-2">
            {rows.map((one) => {
              const { word, icon, text } = DELIVERY_STATES[one.state];
              const key = idOf(one);
              const what = holds(one);
              const when = formatWhen(one.madeAt, zone);
              return (
                <li key={key} className="border-b border-hair py-2 last:border-0">
                  <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
                    <span className="min-w-0 grow basis-56">
                      <b className="block break-words">{what}</b>
                      <span className={`flex items-center gap-1.5 ${text}`}>
                        <Icon name={icon} />
                        {word}
                      </span>
                      <span className="block text-agate break-words text-ink-3">
                        <time data-tip={formatUtc(one.madeAt)}>{when}</time>
                        {answered(one) !== '' && `, ${answered(one)}`}
                        {one.nextAt !== null &&
                          one.nextAt > now &&
                          ` Next try at ${formatTime(one.nextAt, zone)}.`}
                      </span>
                    </span>
                    <Button
                      size="sm"
                      variant="quiet"
                      aria-expanded={shown === key}
                      aria-label={`What was sent: ${what}, ${when}`}
                      onClick={() => setShown(shown === key ? null : key)}
                    >
                      What was sent
                    </Button>
                    {one.category !== 'test' && one.state !== 'waiting' && (
                      <Button
                        size="sm"
                        disabled={offline || !enabled}
                        {...(!enabled && { 'data-tip': MESSAGES.webhookOff })}
                        aria-label={`Send again: ${what}, ${when}`}
                        onClick={() => void again(one)}
                      >
                        Send again
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
