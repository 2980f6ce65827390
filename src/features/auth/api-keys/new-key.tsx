import { useRef } from 'react';
import type { Ability } from '#contract/abilities.ts';
import { apiKeyCalls } from '#contract/auth/api-key-calls.ts';
import type { MadeApiKey } from '#contract/auth/api-key-calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatDay } from '#src/ui/format.ts';
import { Select } from '#src/ui/select.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
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
  const first = useRef<HTMLInputElement>(null);
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: EMPTY,
    schema: makeFormSchema(apiKeyCalls.createApiKey.input, (typed: KeyForm) => {
      const until = getExpiry(typed.lasts, typed.day, now, zone);
      const found = {
        name: typed.name.trim() === '' ? t.nameMissing : null,
        abilities: typed.abilities.length === 0 ? t.permissionMissing : null,
        until: until === null ? ACCOUNT.keyUntil({ days: LIMITS.apiKeyDays }) : null,
      };
      return {
        value: until && {
          id,
          name: typed.name.trim(),
          abilities: abilities.filter((one) => typed.abilities.includes(one)),
          until,
        },
        errors: found,
      };
    }),
    submit: (input) => withReauth(() => client().ask('createApiKey', input)),
    onSaved: onMade,
  });
  const { name, abilities: chosen, lasts, day } = form;
  const until = getExpiry(lasts, day, now, zone);
  const put = (ability: Ability, on: boolean): void =>
    change({ abilities: chosen.filter((one) => one !== ability).concat(on ? [ability] : []) });

  return (
    <Dialog
      dirty={dirty}
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
        ref={formRef}
        id="new-api-key"
        className="grid grid-cols-[minmax(0,1fr)] gap-5 px-5 py-4"
        onSubmit={(event) => void save(event)}
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
          onChange={({ target }) => change({ name: target.value })}
          hint={t.nameHint}
          error={errors['name'] ?? null}
        />
        <div className="grid items-start gap-4 tablet:grid-cols-2">
          <Select
            label={t.expires}
            block
            value={lasts}
            options={LASTS}
            onChange={(next) => change({ lasts: next })}
          />
          {lasts === 'own' ? (
            <TextField
              label={t.expirationDay}
              required
              type="date"
              value={day}
              onChange={({ target }) => change({ day: target.value })}
              error={errors['until'] ?? null}
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
          aria-invalid={errors['abilities'] !== undefined}
          tabIndex={-1}
        >
          <legend className="flex w-full flex-wrap items-center gap-2 p-0 pb-1">
            <span className="grow font-semibold">{t.permissions}</span>
          </legend>
          <div className="flex flex-wrap gap-2 pb-1">
            <Button
              size="sm"
              disabled={chosen.length === abilities.length}
              onClick={() => change({ abilities })}
            >
              {t.selectAll}
            </Button>
            <Button
              size="sm"
              disabled={chosen.length === 0}
              onClick={() => change({ abilities: [] })}
            >
              {t.clearAll}
            </Button>
          </div>
          {errors['abilities'] !== undefined && (
            <p className="m-0 text-agate text-failed">{errors['abilities']}</p>
          )}
          {inOrder(abilities).map((ability) => (
            <Check
              key={ability}
              checked={chosen.includes(ability)}
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

interface KeyForm {
  readonly name: string;
  readonly abilities: readonly Ability[];
  readonly lasts: Lasts;
  readonly day: string;
}
const EMPTY: KeyForm = { name: '', abilities: [], lasts: '90', day: '' };
