import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ComponentPropsWithRef, RefObject, SyntheticEvent } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { ok } from '#contract/result.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { now, useNow } from '../../clock.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { RetryCallout } from '../../../ui/retry-callout.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { makeReadingSchema } from '../../../ui/form-schema.ts';
import { TextField } from '../../../ui/text-field.tsx';
import { useDraftForm } from '../../../ui/use-draft-form.ts';
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
  /** The masked phone number that received the code, after the password was accepted. */
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [loadFailure, setLoadFailure] = useState<Failure | null>(null);
  const [waitUntil, setWaitUntil] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const waits = Math.max(0, Math.ceil((waitUntil - useNow(1_000)) / 1_000));
  const asksPassword = way === 'password' || (way === 'sms' && sentTo === null);
  const { form, change, errors, error, busy, formRef, save, refuse, reset } = useDraftForm<
    Draft,
    string,
    Outcome
  >({
    initial: EMPTY_DRAFT,
    schema: way === 'passkey' ? NOTHING_TYPED : asksPassword ? PASSWORD : CODE,
    submit: send,
    explain(failure) {
      if (failure.kind === 'too-many') setWaitUntil(now() + failure.retryAfterMs);
      if (way === 'passkey') {
        // A passkey challenge can be used only once.
        void ask();
        return { errors: {}, above: failure.message };
      }
      change(EMPTY_DRAFT);
      return { errors: { typed: failure.message }, above: null };
    },
    onSaved(outcome) {
      switch (outcome.kind) {
        case 'confirmed':
          answerReauth(true);
          break;
        case 'codeSent':
          setSentTo(outcome.phone);
          reset(EMPTY_DRAFT);
          break;
        case 'passkeyUnused':
          refuse({ errors: {}, above: t.passkeyUnused });
          break;
        case 'optionsLoaded':
          break;
      }
    },
  });

  const take = (answer: Result<Options>): void => {
    setLoadFailure(answer.ok ? null : answer.failure);
    if (!answer.ok) return;
    setOptions(answer.value);
    setWay((before) => before ?? answer.value.methods[0] ?? null);
  };
  const taken = useEffectEvent(take);
  useEffect(() => {
    void client()
      .ask('reauthOptions', {})
      .then((answer) => taken(answer));
  }, []);
  async function ask(): Promise<void> {
    take(await client().ask('reauthOptions', {}));
  }

  async function send(typed: string): Promise<Result<Outcome>> {
    if (way === 'passkey') {
      if (options?.passkey == null) {
        await ask();
        return ok({ kind: 'optionsLoaded' });
      }
      const passkey = await askPasskey(options.passkey);
      return passkey === null ? ok({ kind: 'passkeyUnused' }) : confirm({ passkey });
    }
    if (!asksPassword) return confirm({ code: typed });
    if (way === 'password') return confirm({ password: typed });
    const sent = await client().ask('reauthCode', { password: typed });
    return sent.ok ? ok({ kind: 'codeSent', phone: sent.value.phone }) : sent;
  }

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (waits === 0 && way !== null) void save();
  }
  const getField = (read: (text: string) => string = (text) => text) => ({
    to: field,
    value: form.typed,
    error: errors['typed'] ?? null,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      change({ typed: read(target.value) }),
  });
  const above = error ?? loadFailure?.message ?? null;

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
        ref={formRef}
        id="reauth"
        className="grid grid-cols-1 gap-4 px-5 py-4"
        onSubmit={submit}
        noValidate
        aria-busy={busy || (options === null && loadFailure === null)}
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
            {...getField()}
            label={t.password}
            type="password"
            name="password"
            autoComplete="current-password"
            maxLength={LIMITS.passwordChars}
            hint={way === 'sms' ? t.smsFollows : undefined}
          />
        )}
        {way === 'totp' && (
          <FocusedField
            {...getField(keepDigits)}
            label={t.authenticatorCode}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            hint={t.authenticatorHint}
          />
        )}
        {way === 'sms' && sentTo !== null && (
          <>
            <FocusedField
              {...getField(keepDigits)}
              label={t.smsCode}
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={6}
              hint={t.smsHint({ phone: sentTo })}
            />
            <div>
              <Button
                size="sm"
                variant="quiet"
                onClick={() => {
                  setSentTo(null);
                  reset(EMPTY_DRAFT);
                }}
              >
                {t.sendAnotherCode}
              </Button>
            </div>
          </>
        )}
        {way === 'recovery' && (
          <FocusedField
            {...getField()}
            label={t.recoveryCode}
            name="code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={32}
            hint={t.recoveryHint}
          />
        )}
        {way === 'passkey' && <p className="m-0">{t.passkeyPrompt}</p>}
        {above !== null && way === 'passkey' && (
          <Callout tone="failed" alert>
            {above}
          </Callout>
        )}
        {loadFailure !== null && way === null && (
          <RetryCallout
            failure={loadFailure}
            onRetry={() => {
              setLoadFailure(null);
              void ask();
            }}
          >
            {loadFailure.message}
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
                  reset(EMPTY_DRAFT);
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

/** Confirms with a factor. */
async function confirm(input: InputOf<'reauth'>): Promise<Result<Outcome>> {
  const answer = await client().ask('reauth', input);
  return answer.ok ? ok({ kind: 'confirmed' }) : answer;
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

/** What was typed: a password or a code. */
interface Draft {
  readonly typed: string;
}
const EMPTY_DRAFT: Draft = { typed: '' };
/** What a step led to. */
type Outcome =
  | { readonly kind: 'confirmed' | 'passkeyUnused' | 'optionsLoaded' }
  | { readonly kind: 'codeSent'; readonly phone: string };

const NOTHING_TYPED = makeReadingSchema<Draft, string>(() => ({ value: '' }));
/** A password is sent as it was typed. */
const PASSWORD = makeReadingSchema<Draft, string>(({ typed }) => ({
  value: typed,
  errors: { typed: typed.trim() === '' ? t.passwordMissing : null },
}));
const CODE = makeReadingSchema<Draft, string>(({ typed }) => ({
  value: typed.trim(),
  errors: { typed: typed.trim() === '' ? t.codeMissing : null },
}));
const keepDigits = (text: string): string => text.replaceAll(/\D/g, '');

const EMPTY = {};
const OTHERWISE = {
  passkey: 'byPasskey',
  totp: 'byAuthenticator',
  recovery: 'byRecoveryCode',
  password: 'byPassword',
  sms: 'bySms',
} as const satisfies Readonly<Record<Way, keyof typeof t>>;
