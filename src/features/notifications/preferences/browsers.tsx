import { useEffect, useState } from 'react';
import type { NotifyOut, PushDeviceOut } from '#contract/notifications/calls.ts';
import { useNow } from '#src/app/clock.ts';
import { ok } from '#contract/result.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { beginPush, endPush, pushState } from '#src/app/push-subscription.ts';
import type { PushState } from '#src/app/push-subscription.ts';
import { useZone } from '#src/app/session/session.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatAge, formatDate } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { getDevice } from '../../shared/device-labels.ts';
import { FactorStateLine } from '../../shared/status-line.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { notificationMessages as t } from './messages.en.ts';

export interface NotifyDevicesProps {
  readonly preferences: NotifyOut;
  readonly onChanged: () => void;
}

/** The browsers that receive web push notifications, this one first. */
export function NotifyDevices({ preferences: { devices, vapid }, onChanged }: NotifyDevicesProps) {
  const current = devices.find((one) => one.current) ?? null;
  const known = current !== null;
  const [state, setState] = useState<PushState | null>(null);
  const [asking, setAsking] = useState(false);
  const mutation = useServerMutation();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const now = useNow(60_000);
  useEffect(() => {
    let gone = false;
    const look = async (): Promise<void> => {
      const found = await pushState(known);
      if (!gone) setState(found);
    };
    void look();
    return () => {
      gone = true;
    };
  }, [known]);

  async function remove({ _id: id, current: here }: PushDeviceOut): Promise<void> {
    const answer = await mutation.send(() => client().ask('removePushDevice', { id }), id);
    if (here) await endPush();
    if (answer.ok || answer.failure.kind === 'not-found') showSuccess(t.browserRemoved);
    else showFailure(answer.failure.message);
    onChanged();
  }
  async function test({ _id: id }: PushDeviceOut): Promise<void> {
    const answer = await mutation.send(() => client().ask('testPushDevice', { id }), id);
    if (!answer.ok) showFailure(answer.failure.message);
    else if (answer.value.ok) showSuccess(t.testSent);
    else showFailure(answer.value.message);
    onChanged();
  }

  return (
    <FormSection wide title={t.push} description={t.pushDetail}>
      {state === null && <p className="m-0 text-ink-3">{t.checkingBrowser}</p>}
      {state !== null && (
        <FactorStateLine on={state === 'on'} label={WORDS[state][0]}>
          {WORDS[state][1]}
        </FactorStateLine>
      )}
      {state === 'off' && (
        <div>
          <Button icon="plus" disabled={offline} onClick={() => setAsking(true)}>
            {t.enableNotifications}
          </Button>
        </div>
      )}
      {devices.length > 0 && (
        <ul aria-label={t.browsers} className="m-0 list-none p-0">
          {devices.map((one) => {
            const { _id: id, agent, madeAt, lastAt, error } = one;
            const name = getDevice(agent);
            return (
              <li
                key={id}
                className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-hair py-2 first:pt-0"
              >
                <span className="min-w-0 grow basis-64">
                  <span className="flex flex-wrap items-center gap-2">
                    <b data-tip={agent}>{name}</b>
                    {one.current && (
                      <Badge tone="success">
                        <Icon name="tick" size={12} />
                        {t.thisBrowser}
                      </Badge>
                    )}
                  </span>
                  <span className="block text-agate break-words text-ink-3">
                    {lastAt === null
                      ? t.pushSinceUnused({ date: formatDate(madeAt, zone) })
                      : t.pushSince({
                          date: formatDate(madeAt, zone),
                          age: formatAge(lastAt, now),
                        })}
                  </span>
                  {error !== null && (
                    <span className="flex items-start gap-1.5 text-agate text-warning">
                      <Icon name="warning" size={12} className="mt-0.5" />
                      {error}
                    </span>
                  )}
                </span>
                <Button
                  size="sm"
                  busy={mutation.pending === id}
                  disabled={offline}
                  aria-label={t.sendTestTo({ name })}
                  onClick={() => void test(one)}
                >
                  {t.sendTest}
                </Button>
                <Button
                  size="sm"
                  variant="quiet"
                  disabled={offline || mutation.busy}
                  aria-label={ui.removeItem({ name })}
                  onClick={() => void remove(one)}
                >
                  {ui.remove}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
      {asking && (
        <Asking
          vapid={vapid}
          onClose={() => setAsking(false)}
          onDone={() => {
            setAsking(false);
            showSuccess(t.notificationsOn);
            onChanged();
          }}
        />
      )}
    </FormSection>
  );
}

/**
 * Explains the permission before the browser asks for it: after a refusal the browser does not ask
 * again.
 */
function Asking({
  vapid,
  onClose,
  onDone,
}: {
  readonly vapid: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const mutation = useServerMutation();
  const [error, setError] = useState<string | null>(null);
  async function begin(): Promise<void> {
    setError(null);
    const begun = await mutation.send(async () => ok(await beginPush(vapid)));
    const says = begun.ok ? begun.value : begun.failure.message;
    if (says === null) onDone();
    else setError(says);
  }
  return (
    <Dialog
      title={t.enableNotifications}
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" busy={mutation.busy} onClick={() => void begin()}>
            {t.continue}
          </Button>
          <Button onClick={onClose}>{t.notNow}</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3 px-5 py-4">
        <p className="m-0">{t.permissionPrompt}</p>
        <p className="m-0 text-ink-2">{t.pushPrivacy}</p>
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
      </div>
    </Dialog>
  );
}

const WORDS: Readonly<Record<PushState, readonly [word: string, says: string]>> = {
  on: [t.pushOn, t.pushOnDetail],
  off: [t.pushOff, t.pushOffDetail],
  home: [t.pushNeedsHomeScreen, t.pushNeedsHomeScreenDetail],
  denied: [t.pushBlocked, t.pushBlockedDetail],
  none: [t.pushUnsupported, t.pushUnsupportedDetail],
};
const EMPTY = {};
