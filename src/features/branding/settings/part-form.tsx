import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { SyntheticEvent } from 'react';
import type { InputOf } from '#contract/calls.ts';
import { settingsCalls } from '#contract/branding/settings-calls.ts';
import type { StoredSettings } from '#contract/branding/settings-calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { findFormErrors, focusFirstError, readServerErrors } from '#src/ui/form-errors.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
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
import { tell, tellInfo } from '#src/ui/toasts.ts';
import {
  getDraft,
  getErrorTexts,
  getInput,
  getStoredPart,
  PARTS,
  getPath,
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
  const before = getDraft(settings, name);
  const [draft, setDraft] = useState<PartDraft>(before);
  const [secret, setSecret] = useState('');
  const [errors, setErrors] = useState<FormErrors>({});
  const [above, setAbove] = useState<string | null>(null);
  const [busy, setBusy] = useState<'save' | 'remove' | 'secret' | null>(null);
  const [opened, setOpened] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const changed = part.fields.some(
    (field) => (draft[field.name] ?? '').trim() !== before[field.name],
  );
  const dirty = changed || secret !== '';
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);

  const refused = (failure: Parameters<typeof readServerErrors>[0]): void => {
    const refusal = readServerErrors(failure, getErrorTexts(name));
    setAbove(refusal.above);
    setErrors(refusal.errors);
    focusFirstError(form.current);
  };

  async function change(input: ReturnType<typeof getInput>): Promise<StoredSettings | null> {
    const answer = await withReauth(() =>
      client().ask('setProviderSettings', { id, ...input } as InputOf<'setProviderSettings'>),
    );
    if (answer.ok) return answer.value;
    refused(answer.failure);
    return null;
  }

  async function keepSecret(value: string | null): Promise<StoredSettings['secrets'] | null> {
    const answer = await withReauth(() => client().ask('setProviderSecret', { id, name, value }));
    if (answer.ok) return answer.value.secrets;
    refused(answer.failure);
    return null;
  }

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy !== null || !dirty) return;
    const input = getInput(settings, name, draft);
    const wrong = findFormErrors(
      settingsCalls.setProviderSettings.input,
      { id, ...input },
      getErrorTexts(name),
    );
    setAbove(null);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) {
      focusFirstError(form.current);
      return;
    }
    setBusy('save');
    let next = changed || !set ? await change(input) : { settings, secrets };
    if (next !== null && secret !== '') {
      const after = await keepSecret(secret);
      if (after !== null) setSecret('');
      next = { ...next, secrets: after ?? next.secrets };
    }
    setBusy(null);
    if (next === null) return;
    setDraft(getDraft(next.settings, name));
    onSaved(next);
    // This message requires an action, so it stays until it is closed.
    if (hasSecret && secret === '' && !next.secrets.includes(name))
      tellInfo(t.savedWithoutSecret({ system: part.title, secret: part.secret }), 0);
    else tell(t.systemSaved({ system: part.title }));
  }

  async function remove(): Promise<void> {
    setBusy('remove');
    const next = await change(withoutPart(settings, name));
    setBusy(null);
    if (next === null) return;
    setDraft(getDraft(next.settings, name));
    setSecret('');
    setOpened(false);
    setErrors({});
    setAbove(null);
    onSaved(next);
    tell(t.systemRemoved({ system: part.title }));
  }

  async function removeSecret(): Promise<void> {
    setBusy('secret');
    const after = await keepSecret(null);
    setBusy(null);
    if (after === null) return;
    onSaved({ settings, secrets: after });
    tell(t.secretRemoved);
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
          ref={form}
          noValidate
          aria-label={part.title}
          className="grid gap-4"
          onSubmit={(event) => void save(event)}
        >
          <RequiredNote />
          {part.fields.map((field) => (
            <OneField
              key={field.name}
              field={field}
              value={draft[field.name] ?? ''}
              error={errors[getPath(name, field.name)] ?? null}
              onChange={(value) => {
                setDraft({ ...draft, [field.name]: value });
                setErrors(
                  Object.fromEntries(
                    Object.entries(errors).filter(([at]) => at !== getPath(name, field.name)),
                  ),
                );
              }}
            />
          ))}
          <TextField
            label={part.secret}
            type="password"
            value={secret}
            maxLength={4_000}
            autoComplete="new-password"
            onChange={(event) => setSecret(event.target.value)}
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
                busy={busy === 'secret'}
                {...network}
                onClick={() => void removeSecret()}
              >
                {t.removeSecret}
              </CallButton>
            </div>
          )}
          {above !== null && (
            <Callout tone="failed" alert>
              {above}
            </Callout>
          )}
          <div className="flex flex-wrap gap-2">
            <CallButton
              call="setProviderSettings"
              type="submit"
              variant={dirty ? 'primary' : 'default'}
              busy={busy === 'save'}
              disabled={offline || !dirty}
              aria-label={t.saveSystem({ system: part.title })}
            >
              {uiMessages.save}
            </CallButton>
            {set && (
              <CallButton
                call="setProviderSettings"
                variant="quiet"
                busy={busy === 'remove'}
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
                  setDraft(before);
                  setSecret('');
                  setErrors({});
                  setAbove(null);
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
