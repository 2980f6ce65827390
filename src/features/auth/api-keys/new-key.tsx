import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Ability } from '#contract/abilities.ts';
import type { MadeApiKey } from '#contract/auth/api-key-calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { focusFirstError } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatDay } from '#src/ui/format.ts';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { inOrder, LASTS, describeAbility, getExpiry, getWord } from './labels.ts';
import type { Lasts } from './labels.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { apiKeyMessages as t } from './messages.en.ts';

export interface NewKeyProps {
  readonly id: string;
  readonly abilities: readonly Ability[];
  readonly zone: string;
  readonly onClose: () => void;
  readonly onMade: (made: MadeApiKey) => void;
}

/** Dialog for a new key: name, permissions and expiry. */
export function NewKey({ id, abilities, zone, onClose, onMade }: NewKeyProps) {
  const now = useNow(60_000);
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<Ability>>(new Set());
  const [lasts, setLasts] = useState<Lasts>('90');
  const [day, setDay] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const until = getExpiry(lasts, day, now, zone);
  const errors = {
    name: name.trim() === '' ? t.nameMissing : null,
    abilities: chosen.size === 0 ? t.permissionMissing : null,
    until: until === null ? ACCOUNT.keyUntil({ days: LIMITS.apiKeyDays }) : null,
  };
  const put = (ability: Ability, on: boolean): void =>
    setChosen(new Set([...chosen].filter((one) => one !== ability).concat(on ? [ability] : [])));

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setTried(true);
    if (until === null || errors.name !== null || errors.abilities !== null)
      return focusFirstError(form.current);
    setBusy(true);
    setError(null);
    const answer = await withReauth(() =>
      client().ask('makeApiKey', {
        id,
        name: name.trim(),
        abilities: abilities.filter((one) => chosen.has(one)),
        until,
      }),
    );
    setBusy(false);
    if (answer.ok) onMade(answer.value);
    else setError(answer.failure.message);
  }

  return (
    <Dialog
      title={t.newApiKey}
      wide
      onClose={onClose}
      first={first}
      footer={
        <>
          <Button type="submit" form="new-api-key" variant="primary" busy={busy}>
            {t.createKey}
          </Button>
          <Button onClick={onClose}>{ui.cancel}</Button>
          {error !== null && (
            <div className="basis-full">
              <Callout tone="failed" alert>
                {error}
              </Callout>
            </div>
          )}
        </>
      }
    >
      <form
        ref={form}
        id="new-api-key"
        className="grid grid-cols-[minmax(0,1fr)] gap-5 px-5 py-4"
        onSubmit={(event) => void submit(event)}
        noValidate
        aria-busy={busy}
      >
        <TextField
          ref={first}
          label={t.name}
          required
          value={name}
          maxLength={LIMITS.nameChars}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
          hint={t.nameHint}
          error={tried ? errors.name : null}
        />
        <div className="grid items-start gap-4 tablet:grid-cols-2">
          <Select label={t.expires} block value={lasts} options={LASTS} onChange={setLasts} />
          {lasts === 'own' ? (
            <TextField
              label={t.expirationDay}
              required
              type="date"
              value={day}
              onChange={({ target }) => setDay(target.value)}
              error={tried ? errors.until : null}
              hint={t.withinDays({ days: LIMITS.apiKeyDays })}
            />
          ) : (
            until !== null && (
              <p className="m-0 text-ink-3 tablet:self-end tablet:pb-1.5">
                {t.lastDayIs({ day: formatDay(until, zone) })}
              </p>
            )
          )}
        </div>
        <fieldset
          className="m-0 min-w-0 border-0 p-0"
          aria-invalid={tried && errors.abilities !== null}
          tabIndex={-1}
        >
          <legend className="flex w-full flex-wrap items-center gap-2 p-0 pb-1">
            <span className="grow font-semibold">{t.permissions}</span>
          </legend>
          <div className="flex flex-wrap gap-2 pb-1">
            <Button
              size="sm"
              disabled={chosen.size === abilities.length}
              onClick={() => setChosen(new Set(abilities))}
            >
              {t.selectAll}
            </Button>
            <Button size="sm" disabled={chosen.size === 0} onClick={() => setChosen(new Set())}>
              {t.clearAll}
            </Button>
          </div>
          {tried && errors.abilities !== null && (
            <p className="m-0 text-agate text-failed">{errors.abilities}</p>
          )}
          {inOrder(abilities).map((ability) => (
            <Check
              key={ability}
              checked={chosen.has(ability)}
              title={getWord(ability)}
              detail={describeAbility(ability)}
              onChange={(on) => put(ability, on)}
            />
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
}
