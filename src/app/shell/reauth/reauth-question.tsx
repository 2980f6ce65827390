import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ComponentPropsWithRef, RefObject, SyntheticEvent } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Result } from '#contract/result.ts';
import { now, useNow } from '../../clock.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { RetryCallout } from '../../../ui/retry-callout.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { askPasskey } from './passkey.ts';
import { answerReauth } from './reauth.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { reauthMessages as t } from './messages.en.ts';

type Options = OutputOf<'reauthOptions'>;
type Way = Options['methods'][number];

/**
 * Asks the user to confirm with one factor before a sensitive change (G44): a passkey, a code or
 * the password, whichever the user has. Users whose factor is a code by SMS confirm with password
 * and code.
 */
export function ReauthQuestion() {
  const [options, setOptions] = useState<Options | null>(null);
  const [way, setWay] = useState<Way | null>(null);
  const [typed, setTyped] = useState('');
  /** The masked phone number that received the code, after the password was accepted. */
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [waitUntil, setWaitUntil] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const waits = Math.max(0, Math.ceil((waitUntil - useNow(1_000)) / 1_000));

  const take = (answer: Result<Options>): void => {
    if (!answer.ok) return setError(answer.failure.message);
    setOptions(answer.value);
    return setWay((before) => before ?? answer.value.methods[0] ?? null);
  };
  const taken = useEffectEvent(take);
  useEffect(() => {
    void client()
      .ask('reauthOptions', {})
      .then((answer) => taken(answer));
  }, []);
  const ask = async (): Promise<void> => take(await client().ask('reauthOptions', {}));

  const show = (input: InputOf<'reauth'>): Promise<void> =>
    submit(
      () => client().ask('reauth', input),
      () => answerReauth(true),
      input.passkey !== undefined,
    );
  const bySms = (password: string): Promise<void> =>
    submit(
      () => client().ask('reauthCode', { password }),
      ({ phone }) => {
        setTyped('');
        setSentTo(phone);
      },
      false,
    );

  async function submit<T>(
    made: () => Promise<Result<T>>,
    right: (value: T) => void,
    passkey: boolean,
  ): Promise<void> {
    setBusy(true);
    setError(null);
    const answer = await made();
    setBusy(false);
    if (answer.ok) return right(answer.value);
    if (answer.failure.kind === 'too-many') setWaitUntil(now() + answer.failure.retryAfterMs);
    setTyped('');
    setError(answer.failure.message);
    // A passkey challenge can be used only once.
    return passkey ? ask() : field.current?.focus();
  }

  async function go(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || waits > 0 || way === null) return;
    if (way === 'passkey') {
      if (options?.passkey == null) return ask();
      setError(null);
      const response = await askPasskey(options.passkey);
      return response === null ? setError(t.passkeyUnused) : show({ passkey: response });
    }
    const asksPassword = way === 'password' || (way === 'sms' && sentTo === null);
    if (typed.trim() === '') {
      setError(asksPassword ? t.passwordMissing : t.codeMissing);
      return field.current?.focus();
    }
    if (!asksPassword) return show({ code: typed.trim() });
    return way === 'sms' ? bySms(typed) : show({ password: typed });
  }

  const others = options?.methods.filter((one) => one !== way) ?? [];
  const none = options !== null && options.methods.length === 0;
  return (
    <Dialog
      title={t.title}
      onClose={() => answerReauth(false)}
      footer={
        <>
          {!none && (
            <Button
              type="submit"
              form="reauth"
              variant="primary"
              busy={busy}
              disabled={way === null || waits > 0 || offline}
            >
              {waits > 0
                ? t.tryAgainIn({ seconds: waits })
                : way === 'passkey'
                  ? t.byPasskey
                  : way === 'sms' && sentTo === null
                    ? t.sendCode
                    : t.confirm}
            </Button>
          )}
          <Button onClick={() => answerReauth(false)}>{uiMessages.cancel}</Button>
        </>
      }
    >
      <form
        id="reauth"
        className="grid grid-cols-1 gap-4 px-5 py-4"
        onSubmit={(event) => void go(event)}
        noValidate
        aria-busy={busy || (options === null && error === null)}
      >
        <p className="m-0 text-ink-2">{t.explanation}</p>
        {offline && (
          <Callout tone="warning" alert>
            {BASE.needsNetwork}
          </Callout>
        )}
        {none && <Callout tone="warning">{t.noMethod}</Callout>}
        {(way === 'password' || (way === 'sms' && sentTo === null)) && (
          <FocusedField
            to={field}
            label={t.password}
            type="password"
            name="password"
            autoComplete="current-password"
            maxLength={LIMITS.passwordChars}
            value={typed}
            error={error}
            hint={way === 'sms' ? t.smsFollows : undefined}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        {way === 'totp' && (
          <FocusedField
            to={field}
            label={t.authenticatorCode}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={typed}
            error={error}
            hint={t.authenticatorHint}
            onChange={(event) => setTyped(event.target.value.replaceAll(/\D/g, ''))}
          />
        )}
        {way === 'sms' && sentTo !== null && (
          <>
            <FocusedField
              to={field}
              label={t.smsCode}
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={6}
              value={typed}
              error={error}
              hint={t.smsHint({ phone: sentTo })}
              onChange={(event) => setTyped(event.target.value.replaceAll(/\D/g, ''))}
            />
            <div>
              <Button
                size="sm"
                variant="quiet"
                onClick={() => {
                  setSentTo(null);
                  setTyped('');
                  setError(null);
                }}
              >
                {t.sendAnotherCode}
              </Button>
            </div>
          </>
        )}
        {way === 'recovery' && (
          <FocusedField
            to={field}
            label={t.recoveryCode}
            name="code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={32}
            value={typed}
            error={error}
            hint={t.recoveryHint}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        {way === 'passkey' && <p className="m-0">{t.passkeyPrompt}</p>}
        {error !== null && way === 'passkey' && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        {error !== null && way === null && (
          <RetryCallout
            onRetry={() => {
              setError(null);
              void ask();
            }}
          >
            {error}
          </RetryCallout>
        )}
        {others.length > 0 && (
          <div className="flex flex-wrap gap-2 border-t border-hair pt-3">
            {others.map((one) => (
              <Button
                key={one}
                size="sm"
                variant="quiet"
                onClick={() => {
                  setWay(one);
                  setTyped('');
                  setError(null);
                }}
              >
                {t[OTHERWISE[one]]}
              </Button>
            ))}
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** Focuses its field on mount. */
function FocusedField({
  to,
  ...rest
}: { readonly to: RefObject<HTMLInputElement | null> } & Omit<
  ComponentPropsWithRef<typeof TextField>,
  'ref'
>) {
  useEffect(() => to.current?.focus(), [to]);
  return <TextField ref={to} {...rest} />;
}

const EMPTY = {};
const OTHERWISE = {
  passkey: 'byPasskey',
  totp: 'byAuthenticator',
  recovery: 'byRecoveryCode',
  password: 'byPassword',
  sms: 'bySms',
} as const satisfies Readonly<Record<Way, keyof typeof t>>;
