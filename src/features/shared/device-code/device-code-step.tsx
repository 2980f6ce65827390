import { useActorRef, useSelector } from '@xstate/react';
import { useEffect, useEffectEvent } from 'react';
import { fromPromise } from 'xstate';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import type { Result } from '#contract/result.ts';
import { deviceCodeMachine, timeLeft } from '#machines/device-code.ts';
import type { ShownCode } from '#machines/device-code.ts';
import { now, useNow } from '#src/app/clock.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatDuration } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { MESSAGES } from '#contract/messages.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { deviceCodeMessages as t } from './messages.en.ts';

/**
 * Signs an administrator in with a code: the code in large, the time left, and its page. It is
 * checked until somebody signed in, declined, or the time is over.
 */
export function DeviceCodeStep({
  granted,
  lead,
  permissions,
  permissionsNote,
  grantedText,
  request,
  check,
  onGranted,
}: {
  /** The code was granted before. Another one can be requested: what it was for may be refused. */
  readonly granted: boolean;
  readonly lead: string;
  readonly permissions: readonly string[];
  readonly permissionsNote?: string;
  readonly grantedText: string;
  readonly request: () => Promise<Result<ShownCode>>;
  readonly check: (id: string) => Promise<Result<DeviceCodeState>>;
  readonly onGranted: (id: string) => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const actor = useActorRef(
    deviceCodeMachine.provide({
      actors: {
        request: fromPromise<Result<ShownCode>>(request),
        check: fromPromise<Result<DeviceCodeState>, ShownCode | null>(({ input }) =>
          check(input?.id ?? ''),
        ),
      },
    }),
    { input: { now } },
  );
  const state = useSelector(actor, (snapshot) => snapshot);
  const { code, failure } = state.context;
  const isActive = state.matches('active');
  const isGranted = state.matches('granted') || (granted && state.matches('idle'));
  const at = useNow(1_000);
  const left = timeLeft(state.context, at);
  const grantedNow = state.matches('granted');
  const take = useEffectEvent((): void => {
    if (code !== null) onGranted(code.id);
  });
  useEffect(() => {
    if (grantedNow) take();
  }, [grantedNow]);

  return (
    <>
      <p className="m-0 text-ink-2">{lead}</p>
      <section aria-label={t.permissions}>
        <h3 className="m-0 border-b border-head-rule pb-1 text-[length:inherit]">
          {t.permissions}
        </h3>
        <ul className="m-0 list-none p-0">
          {permissions.map((permission) => (
            <li key={permission} className="flex gap-2.5 border-b border-hair py-2">
              <Icon name="check" className="mt-px text-accent" />
              {permission}
            </li>
          ))}
        </ul>
        {permissionsNote !== undefined && (
          <p className="m-0 pt-1 text-agate text-ink-3">{permissionsNote}</p>
        )}
      </section>
      {isGranted ? (
        <Callout
          tone="success"
          alert
          action={
            <Button size="sm" disabled={offline} onClick={() => actor.send({ type: 'REQUEST' })}>
              {t.anotherCode}
            </Button>
          }
        >
          {grantedText}
        </Callout>
      ) : isActive && code !== null ? (
        <div className="grid gap-3 border-t-2 border-b border-t-head-rule border-b-rule py-4">
          <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
            <p className="m-0">
              <span className="block text-agate text-ink-3">{t.code}</span>
              <span className="block font-mono text-[28px] leading-9 tracking-[0.12em] select-all">
                {code.userCode}
              </span>
            </p>
            <span className="flex flex-wrap gap-2">
              <Button icon="copy" onClick={() => void copy(code.userCode)}>
                {t.copyCode}
              </Button>
              <a
                href={code.verificationUrl}
                target="_blank"
                rel="noreferrer"
                className="inline-flex h-8 items-center gap-2 rounded-part border border-control bg-sheet px-3 hover:bg-wash pointer-coarse:h-11"
              >
                <Icon name="external" />
                {t.openPage}
              </a>
            </span>
          </div>
          <p className="m-0 text-ink-2">
            {t.timeLeft({ time: formatDuration(Math.ceil(left / 1_000)) })}
          </p>
          <p className="m-0 flex items-center gap-2 text-running">
            <Icon name="running" />
            {failure === null ? t.waiting : t.checkDelayed}
          </p>
        </div>
      ) : (
        <div className="grid justify-items-start gap-3">
          {(state.matches('declined') || state.matches('expired')) && (
            <Callout tone="warning" alert>
              {state.matches('declined') ? t.declined : t.expired}
            </Callout>
          )}
          {state.matches('failed') && failure !== null && (
            <Callout tone="failed" alert>
              {getFailureText(failure)}
            </Callout>
          )}
          <Button
            icon="key"
            busy={state.matches('requesting')}
            disabled={offline}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            onClick={() => actor.send({ type: 'REQUEST' })}
          >
            {state.matches('requesting')
              ? t.requesting
              : state.matches('idle')
                ? t.requestCode
                : t.anotherCode}
          </Button>
        </div>
      )}
    </>
  );
}

async function copy(code: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(code);
    showSuccess(t.codeCopied);
  } catch {
    showFailure(ui.copyBlocked);
  }
}

const EMPTY = {};
