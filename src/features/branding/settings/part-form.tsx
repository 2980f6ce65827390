import { useEffect, useEffectEvent, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { InputOf } from '#contract/calls.ts';
import { settingsCalls } from '#contract/branding/settings-calls.ts';
import type { StoredSettings } from '#contract/branding/settings-calls.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { Failure } from '#contract/errors.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import type { FormRefusal } from '#src/ui/use-draft-form.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { richText } from '#src/ui/rich-text.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess, showInfo } from '#src/ui/toasts.ts';
import {
  getPartDraft,
  getErrorTexts,
  getPartInput,
  getStoredPart,
  PARTS,
  getFieldPath,
  withoutPart,
} from './parts.ts';
import type { PartDraft, PartField, PartName } from './parts.ts';
import { TryIt } from './test-button.tsx';
import { settingsMessages as t } from './messages.en.ts';

/** A page on the server's own machine that lists waiting messages. */
const OUTBOX = 'http://localhost:<port>/outbox';

export interface PartFormProps {
  readonly id: string;
  readonly name: PartName;
  readonly stored: StoredSettings;
  readonly offline: boolean;
  readonly onSaved: (stored: StoredSettings) => void;
  readonly onDirty: (dirty: boolean) => void;
}

/** Settings of one external system. Its secret can be set but never read. */
export function PartForm({
  id,
  name,
  stored: { settings, secrets },
  offline,
  onSaved,
  onDirty,
}: PartFormProps) {
  const part = PARTS[name];
  const set = getStoredPart(settings, name) !== null;
  const hasSecret = secrets.includes(name);
  const before = getPartDraft(settings, name);
  const [opened, setOpened] = useState(false);
  const explain = (failure: Failure): FormRefusal => readServerErrors(failure, getErrorTexts(name));
  const keepSecret = (value: string | null) =>
    withReauth(() => client().ask('setProviderSecret', { id, name, value }));
  const {
    form: { draft, secret },
    change,
    errors,
    error,
    busy,
    formRef,
    save,
    refuse,
    reset,
  } = useDraftForm({
    initial: { draft: before, secret: '' },
    offline,
    schema: makePartSchema(id, name, settings),
    async submit(input, typed): Promise<Result<StoredSettings>> {
      const stored: Result<StoredSettings> =
        changed || !set
          ? await withReauth(() => client().ask('setProviderSettings', input))
          : ok({ settings, secrets });
      if (!stored.ok || typed.secret === '') return stored;
      const sealed = await keepSecret(typed.secret);
      if (sealed.ok) return ok({ ...stored.value, secrets: sealed.value.secrets });
      onSaved(stored.value);
      return sealed;
    },
    explain,
    onSaved: (next) => {
      reset({ draft: getPartDraft(next.settings, name), secret: '' });
      onSaved(next);
      // This message requires an action, so it stays until it is closed.
      if (hasSecret && secret === '' && !next.secrets.includes(name))
        showInfo(t.savedWithoutSecret({ system: part.title, secret: part.secret }), 0);
      else showSuccess(t.systemSaved({ system: part.title }));
    },
  });
  const mutation = useServerMutation();
  const changed = part.fields.some(
    (field) => (draft[field.name] ?? '').trim() !== before[field.name],
  );
  const dirty = changed || secret !== '';
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);

  async function remove(): Promise<void> {
    refuse(null);
    const answer = await mutation.send(
      () =>
        withReauth(() =>
          client().ask('setProviderSettings', {
            id,
            ...withoutPart(settings, name),
          } as InputOf<'setProviderSettings'>),
        ),
      'remove',
    );
    if (!answer.ok) return refuse(explain(answer.failure));
    reset({ draft: getPartDraft(answer.value.settings, name), secret: '' });
    setOpened(false);
    onSaved(answer.value);
    showSuccess(t.systemRemoved({ system: part.title }));
  }

  async function removeSecret(): Promise<void> {
    refuse(null);
    const answer = await mutation.send(() => keepSecret(null), 'secret');
    if (!answer.ok) return refuse(explain(answer.failure));
    onSaved({ settings, secrets: answer.value.secrets });
    showSuccess(t.secretRemoved);
  }

  const network = offline ? { disabled: true } : {};
  return (
    <FormSection title={part.title} description={part.description} place={name}>
      {!set && (
        <p className="m-0 flex items-start gap-2 text-ink-2">
          <Icon name="minus" className="mt-px text-ink-3" />
          <span className="min-w-0">
            {t.notSetUp} {part.without}
            {part.outbox && (
              <>
                {' '}
                {richText(t.readInOutbox, {
                  address: <code className="font-mono text-agate">{OUTBOX}</code>,
                })}
              </>
            )}
          </span>
        </p>
      )}
      {!set && !opened ? (
        <div>
          <CallButton
            call="setProviderSettings"
            aria-label={t.setUpSystem({ system: part.title })}
            onClick={() => setOpened(true)}
          >
            {t.setUp}
          </CallButton>
        </div>
      ) : (
        <form
          ref={formRef}
          noValidate
          aria-label={part.title}
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (dirty) void save();
          }}
        >
          <RequiredNote />
          {part.fields.map((field) => (
            <OneField
              key={field.name}
              field={field}
              value={draft[field.name] ?? ''}
              error={errors[getFieldPath(name, field.name)] ?? null}
              onChange={(value) => change({ draft: { ...draft, [field.name]: value } })}
            />
          ))}
          <TextField
            label={part.secret}
            type="password"
            value={secret}
            maxLength={4_000}
            autoComplete="new-password"
            onChange={({ target }) => change({ secret: target.value })}
            hint={
              hasSecret ? (
                <span className="flex items-center gap-1.5">
                  <Icon name="lock" size={12} />
                  {t.secretStored}
                </span>
              ) : (
                t.secretHint
              )
            }
          />
          {hasSecret && (
            <div>
              <CallButton
                call="setProviderSecret"
                size="sm"
                variant="quiet"
                className="-ml-2"
                busy={mutation.pending === 'secret'}
                {...network}
                onClick={() => void removeSecret()}
              >
                {t.removeSecret}
              </CallButton>
            </div>
          )}
          {error !== null && (
            <Callout tone="failed" alert>
              {error}
            </Callout>
          )}
          <div className="flex flex-wrap gap-2">
            <CallButton
              call="setProviderSettings"
              type="submit"
              variant={dirty ? 'primary' : 'default'}
              busy={busy}
              disabled={offline || !dirty}
              aria-label={t.saveSystem({ system: part.title })}
            >
              {uiMessages.save}
            </CallButton>
            {set && (
              <CallButton
                call="setProviderSettings"
                variant="quiet"
                busy={mutation.pending === 'remove'}
                {...network}
                aria-label={t.removeSystem({ system: part.title })}
                onClick={() => void remove()}
              >
                {uiMessages.remove}
              </CallButton>
            )}
            {!set && (
              <Button
                variant="quiet"
                onClick={() => {
                  setOpened(false);
                  reset();
                }}
              >
                {uiMessages.cancel}
              </Button>
            )}
          </div>
          {set && (
            <TryIt
              key={JSON.stringify([settings, secrets])}
              id={id}
              part={part}
              dirty={dirty}
              offline={offline}
            />
          )}
        </form>
      )}
    </FormSection>
  );
}

const makePartSchema = (id: string, name: PartName, settings: ProviderSettings) =>
  makeFormSchema(
    settingsCalls.setProviderSettings.input,
    ({ draft }: { readonly draft: PartDraft; readonly secret: string }) => ({
      value: { id, ...getPartInput(settings, name, draft) } as InputOf<'setProviderSettings'>,
    }),
    getErrorTexts(name),
  );

function OneField({
  field: { label, hint, kind = 'text', options, optional },
  value,
  error,
  onChange,
}: {
  readonly field: PartField;
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
}) {
  if (kind === 'switch')
    return (
      <Switch
        label={label}
        {...(hint !== undefined && { detail: hint })}
        on={value === 'true'}
        onChange={(on) => onChange(String(on))}
      />
    );
  if (options)
    return (
      <Select
        label={label}
        required={optional !== true}
        block
        value={value}
        options={options}
        error={error}
        onChange={onChange}
      />
    );
  const shared = {
    label,
    required: optional !== true,
    value,
    error,
    ...(hint !== undefined && { hint }),
    spellCheck: false,
    autoComplete: 'off',
    autoCapitalize: 'none',
  };
  if (kind === 'many')
    return <TextArea {...shared} mono onChange={(event) => onChange(event.target.value)} />;
  return (
    <TextField
      {...shared}
      type={kind === 'number' ? 'text' : kind}
      {...(kind === 'number' && { inputMode: 'numeric' })}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
