import { useEffect, useState } from 'react';
import type { NotifyOut, PushDeviceOut } from '#contract/notifications/calls.ts';
import { useNow } from '#src/app/clock.ts';
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
import { tell, tellFailure } from '#src/ui/toasts.ts';
import { deviceOf } from '../../shared/device-labels.ts';
import { StateLine } from '../../shared/status-line.tsx';

export interface NotifyDevicesProps {
  readonly told: NotifyOut;
  readonly onChanged: () => void;
}

/** The browsers that are told by web push, this one first. */
export function NotifyDevices({ told: { devices, vapid }, onChanged }: NotifyDevicesProps) {
  const current = devices.find((one) => one.current) ?? null;
  const known = current !== null;
  const [state, setState] = useState<PushState | null>(null);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState<string | null>(null);
  const offline = useWatch('status', NOTHING)?.is === 'offline';
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
    setBusy(id);
    const answer = await client().ask('removePushDevice', { id });
    if (here) await endPush();
    setBusy(null);
    if (answer.ok || answer.failure.kind === 'not-found') tell('That browser is told no more');
    else tellFailure(answer.failure.message);
    onChanged();
  }
  async function test({ _id: id }: PushDeviceOut): Promise<void> {
    setBusy(id);
    const answer = await client().ask('tryPushDevice', { id });
    setBusy(null);
    if (!answer.ok) tellFailure(answer.failure.message);
    else if (answer.value.ok) tell('Sent to that browser');
    else tellFailure(answer.value.says);
    onChanged();
  }

  return (
    <FormSection
      wide
      title="Push"
      says="A notification on this device, also while the portal is closed. It tells how many and of which company, never the name of a person, job or computer."
    >
      {state === null && (
        <p className="m-0 text-ink-3">Looking whether this browser can be told…</p>
      )}
      {state !== null && (
        <StateLine on={state === 'on'} word={WORDS[state][0]}>
          {WORDS[state][1]}
        </StateLine>
      )}
      {state === 'off' && (
        <div>
          <Button icon="plus" disabled={offline} onClick={() => setAsking(true)}>
            Tell this browser
          </Button>
        </div>
      )}
      {devices.length > 0 && (
        <ul aria-label="Browsers that are told" className="m-0 list-none p-0">
          {devices.map((one) => {
            const { _id: id, agent, madeAt, lastAt, fault } = one;
            const name = deviceOf(agent);
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
                        This browser
                      </Badge>
                    )}
                  </span>
                  <span className="block text-agate break-words text-ink-3">
                    since {formatDate(madeAt, zone)} ·{' '}
                    {lastAt === null
                      ? 'nothing was sent yet'
                      : `last told ${formatAge(lastAt, now)}`}
                  </span>
                  {fault !== null && (
                    <span className="flex items-start gap-1.5 text-agate text-warning">
                      <Icon name="warning" size={12} className="mt-0.5" />
                      {fault}
                    </span>
                  )}
                </span>
                <Button
                  size="sm"
                  busy={busy === id}
                  disabled={offline}
                  aria-label={`Send a test to ${name}`}
                  onClick={() => void test(one)}
                >
                  Send a test
                </Button>
                <Button
                  size="sm"
                  variant="quiet"
                  disabled={offline || busy !== null}
                  aria-label={`Remove ${name}`}
                  onClick={() => void remove(one)}
                >
                  Remove
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
            tell('This browser is told');
            onChanged();
          }}
        />
      )}
    </FormSection>
  );
}

/** Why, before the browser asks: it asks once, and who refuses then is not asked again. */
function Asking({
  vapid,
  onClose,
  onDone,
}: {
  readonly vapid: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  async function begin(): Promise<void> {
    setBusy(true);
    setFault(null);
    const says = await beginPush(vapid);
    setBusy(false);
    if (says === null) onDone();
    else setFault(says);
  }
  return (
    <Dialog
      title="Tell this browser"
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" busy={busy} onClick={() => void begin()}>
            Ask the browser
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3 px-5 py-4">
        <p className="m-0">
          The browser asks next whether this site may show notifications. Choose “Allow”.
        </p>
        <p className="m-0 text-ink-2">
          They come by the push service of the browser’s maker, sealed so that only this browser can
          read them, and show on the lock screen: how many, and of which company. Logging out here
          ends them.
        </p>
        {fault !== null && (
          <Callout tone="failed" alert>
            {fault}
          </Callout>
        )}
      </div>
    </Dialog>
  );
}

const WORDS: Readonly<Record<PushState, readonly [word: string, says: string]>> = {
  on: ['On', 'This browser is told.'],
  off: ['Off', 'This browser is not told yet.'],
  home: [
    'Not here',
    'On this device only a portal on the home screen can be told: choose Share, then “Add to Home Screen”, and open it from there.',
  ],
  denied: [
    'Not allowed by this browser',
    'Somebody has refused notifications of this site. Allow them in the browser’s settings for this site, then open this page again.',
  ],
  none: [
    'Not possible in this browser',
    'It does not know web push, or keeps nothing of this site, as a private window does. Mail reaches you all the same.',
  ],
};
const NOTHING = {};
