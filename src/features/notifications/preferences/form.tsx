import { Link } from '@tanstack/react-router';
import type { Ms } from '#contract/ids.ts';
import { notifyCalls } from '#contract/notifications/calls.ts';
import type { NotifyOut } from '#contract/notifications/calls.ts';
import type { NotifySettings } from '#contract/notifications/notifications.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { formatDay, formatTime, formatWhen } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { zoneChoices } from '../../shared/language-choices.ts';
import {
  CATEGORY_WORDS,
  DAYS,
  digestWords,
  PREFERENCE_ERRORS,
  withDay,
  addDefaults,
} from './draft.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { notificationMessages as t } from './messages.en.ts';

export interface NotifyFormProps {
  readonly preferences: NotifyOut;
  readonly onSaved: (settings: NotifySettings, nextAt: Ms | null) => void;
}

/** Form: categories, channels, schedule and quiet hours; saved together. */
export function NotifyForm({ preferences, onSaved }: NotifyFormProps) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const {
    form: draft,
    change,
    errors,
    error,
    busy: isSaving,
    dirty,
    formRef,
    save,
    reset,
  } = useDraftForm({
    initial: preferences.settings,
    offline,
    schema,
    submit: (input) => client().ask('saveNotify', input),
    explain: (failure) => readServerErrors(failure, PREFERENCE_ERRORS),
    onSaved: ({ nextAt }, { settings }) => {
      onSaved(settings, nextAt);
      showSuccess(t.notificationsSaved);
    },
  });
  const sending = useServerMutation();
  const busy = isSaving || sending.busy;
  const { digest, quiet } = draft;
  const zone = preferences.settings.timeZone;

  async function send(): Promise<void> {
    const answer = await sending.send(() => client().ask('sendDigest', {}));
    if (answer.ok) showSuccess(t.sentTo({ email: answer.value.to }));
    else showFailure(answer.failure.message);
  }

  return (
    <form
      ref={formRef}
      noValidate
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        if (dirty) void save();
      }}
    >
      <UnsavedQuestion dirty={dirty && !busy} />
      <FormSection wide title={t.alerts} description={t.alertsDetail}>
        {preferences.categories.length === 0 ? (
          <p className="m-0 text-ink-2">{t.noAlerts}</p>
        ) : (
          <table className="w-full border-collapse">
            <caption className="sr-only">{t.alertsTable}</caption>
            <thead>
              <tr className="h-8 border-b border-rule text-left text-agate text-ink-2">
                <th scope="col" className="font-normal">
                  {t.event}
                </th>
                <th scope="col" className="w-14 text-center font-normal">
                  {t.email}
                </th>
                <th scope="col" className="w-14 text-center font-normal">
                  {t.pushColumn}
                </th>
              </tr>
            </thead>
            <tbody>
              {preferences.categories.map((category) => {
                const [title, detail] = CATEGORY_WORDS[category];
                return (
                  <tr key={category} className="border-b border-hair">
                    <th scope="row" className="py-2 pr-3 text-left font-normal">
                      <span className="block">{title}</span>
                      <span className="block text-agate text-ink-3">{detail}</span>
                    </th>
                    {(['mail', 'push'] as const).map((by) => (
                      <td key={by} className="p-0 text-center">
                        <label className="inline-flex size-9 cursor-pointer items-center justify-center pointer-coarse:size-11">
                          <input
                            type="checkbox"
                            checked={draft.categories[category][by]}
                            aria-label={t.alertBy({
                              alert: title,
                              channel: by === 'mail' ? t.email : t.pushColumn,
                            })}
                            onChange={({ target }) =>
                              change(addDefaults(draft, category, by, target.checked))
                            }
                            className="m-0 size-4 accent-accent"
                          />
                        </label>
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
      </FormSection>
      <FormSection title={t.email} description={t.digestDetail}>
        <Switch
          label={t.sendDigest}
          detail={digestWords(draft)}
          on={digest.on}
          onChange={(on) => change({ digest: { ...digest, on } })}
        />
        {preferences.email === null && (
          <Callout tone="warning">
            {richText(t.noEmail, { link: <ProfileLink text={t.addEmail} /> })}
          </Callout>
        )}
        {preferences.email !== null && !preferences.emailVerified && (
          <Callout tone="warning">
            {richText(t.emailUnconfirmed, { link: <ProfileLink text={t.confirmEmail} /> })}
          </Callout>
        )}
        {digest.on && (
          <>
            <TextField
              label={t.digestTime}
              type="time"
              value={digest.at}
              error={errors['settings.digest.at'] ?? null}
              onChange={({ target }) => change({ digest: { ...digest, at: target.value } })}
            />
            <fieldset
              className="m-0 min-w-0 border-0 p-0"
              {...(errors['settings.digest.weekdays'] !== undefined && { 'data-error': true })}
            >
              <legend className="pb-1 font-semibold">{t.digestDays}</legend>
              <div className="flex flex-wrap gap-x-4">
                {DAYS.map((day, n) => (
                  <label
                    key={day}
                    className="flex min-h-8 cursor-pointer items-center gap-2 pointer-coarse:min-h-11"
                  >
                    <input
                      type="checkbox"
                      checked={digest.weekdays.includes(n + 1)}
                      onChange={() =>
                        change({ digest: { ...digest, weekdays: withDay(digest.weekdays, n + 1) } })
                      }
                      className="m-0 size-4 accent-accent"
                    />
                    {day}
                  </label>
                ))}
              </div>
              <p
                className={`m-0 text-agate ${errors['settings.digest.weekdays'] === undefined ? 'text-ink-3' : 'text-failed'}`}
              >
                {errors['settings.digest.weekdays'] ?? t.weeklyHint}
              </p>
            </fieldset>
            <Switch
              label={t.digestWhenWell}
              detail={t.digestWhenWellDetail}
              on={digest.whenWell}
              onChange={(whenWell) => change({ digest: { ...digest, whenWell } })}
            />
          </>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button
            size="sm"
            busy={sending.busy}
            disabled={offline || preferences.email === null || !preferences.emailVerified}
            onClick={() => void send()}
          >
            {t.sendNow}
          </Button>
          <span className="text-agate text-ink-3">
            {preferences.nextAt !== null && !dirty
              ? `${t.nextDigest({ date: `${formatDay(preferences.nextAt, zone)} ${formatTime(preferences.nextAt, zone)}` })} `
              : ''}
            {preferences.lastAt !== null &&
              t.lastDigest({ date: formatWhen(preferences.lastAt, zone) })}
          </span>
        </div>
      </FormSection>
      <FormSection title={t.quietHours} description={t.quietHoursDetail}>
        <Switch
          label={t.quietHoursOn}
          detail={
            quiet.on
              ? (quiet.to <= quiet.from ? t.quietHoursOvernight : t.quietHoursFrom)({
                  from: quiet.from,
                  to: quiet.to,
                })
              : t.quietHoursOff
          }
          on={quiet.on}
          onChange={(on) => change({ quiet: { ...quiet, on } })}
        />
        {quiet.on && (
          <div className="grid grid-cols-2 gap-4">
            <TextField
              label={t.from}
              type="time"
              value={quiet.from}
              error={errors['settings.quiet.from'] ?? errors['settings.quiet'] ?? null}
              onChange={({ target }) => change({ quiet: { ...quiet, from: target.value } })}
            />
            <TextField
              label={t.to}
              type="time"
              value={quiet.to}
              error={errors['settings.quiet.to'] ?? null}
              onChange={({ target }) => change({ quiet: { ...quiet, to: target.value } })}
            />
          </div>
        )}
        <Combobox
          label={t.digestTimeZone}
          value={draft.timeZone}
          options={zoneChoices()}
          error={errors['settings.timeZone'] ?? null}
          onChange={(timeZone) => change({ timeZone })}
        />
      </FormSection>
      <div className="grid max-w-[740px] gap-3 pb-6 desk:pl-[280px]">
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" busy={isSaving} disabled={!dirty && !isSaving}>
            {ui.save}
          </Button>
          {dirty && !busy && <Button onClick={() => reset()}>{t.discardChanges}</Button>}
          {!dirty && !isSaving && (
            <span className="flex items-center gap-1.5 text-ink-3">
              <Icon name="tick" />
              {t.saved}
            </span>
          )}
        </div>
      </div>
    </form>
  );
}

function ProfileLink({ text }: { readonly text: string }) {
  return (
    <Link to="/monitoring/profile" className="text-accent underline">
      {text}
    </Link>
  );
}

const EMPTY = {};
const schema = makeFormSchema(
  notifyCalls.saveNotify.input,
  (settings: NotifySettings) => ({ value: { settings } }),
  PREFERENCE_ERRORS,
);
