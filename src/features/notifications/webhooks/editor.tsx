import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { notifyCalls } from '#contract/notifications/calls.ts';
import type { WebhookOut } from '#contract/notifications/calls.ts';
import { NOTIFY_CATEGORIES } from '#contract/notifications/notifications.ts';
import type { NotifyCategory, WebhookFields } from '#contract/notifications/notifications.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { findFormErrors, focusFirstError, readServerErrors } from '#src/ui/form-errors.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
import { Companies } from './companies.tsx';
import { CATEGORY_NAMES, ERROR_TEXTS, getId } from './labels.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { webhookMessages as t } from './messages.en.ts';

export interface EditorProps {
  /** Null: a new webhook. */
  readonly webhook: WebhookOut | null;
  readonly offline: boolean;
  readonly onClose: () => void;
  /** `secret`: of a new webhook, otherwise null. */
  readonly onSaved: (name: string, secret: string | null) => void;
}

export function Editor({ webhook, offline, onClose, onSaved }: EditorProps) {
  const [draft, setDraft] = useState<WebhookFields>(
    webhook === null
      ? NEW
      : {
          name: webhook.name,
          url: webhook.url,
          enabled: webhook.enabled,
          categories: [...webhook.categories],
          companies: webhook.companies,
        },
  );
  const [errors, setErrors] = useState<FormErrors>({});
  const [above, setAbove] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  const change = (next: Partial<WebhookFields>): void => {
    setDraft((old) => ({ ...old, ...next }));
    setErrors({});
    setAbove(null);
  };
  const toggle = (category: NotifyCategory, on: boolean): void =>
    change({
      categories: NOTIFY_CATEGORIES.filter((one) =>
        one === category ? on : draft.categories.includes(one),
      ),
    });
  const wrong = (found: FormErrors): boolean => {
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError(form.current);
    return Object.keys(found).length > 0;
  };

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (
      busy ||
      offline ||
      wrong(findFormErrors(notifyCalls.makeWebhook.input, { webhook: draft }, ERROR_TEXTS))
    )
      return;
    setBusy(true);
    const answer =
      webhook === null
        ? await withReauth(() => client().ask('makeWebhook', { webhook: draft }))
        : await withReauth(() =>
            client().ask('changeWebhook', { id: getId(webhook), webhook: draft }),
          );
    setBusy(false);
    if (!answer.ok) {
      const refusal = readServerErrors(answer.failure, ERROR_TEXTS);
      setAbove(refusal.above);
      wrong(refusal.errors);
      return;
    }
    if (webhook !== null) tell(t.saved);
    onSaved(
      draft.name,
      'secret' in answer.value && typeof answer.value.secret === 'string'
        ? answer.value.secret
        : null,
    );
  }

  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const none = errors['webhook.categories'];
  return (
    <Dialog
      title={webhook === null ? t.newWebhook : t.editNamed({ name: webhook.name })}
      onClose={onClose}
      first={first}
      footer={
        <>
          <Button
            variant="primary"
            type="submit"
            form="webhook"
            busy={busy}
            disabled={offline}
            {...why}
          >
            {ui.save}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {ui.cancel}
          </Button>
        </>
      }
    >
      <form
        id="webhook"
        ref={form}
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-4 px-5 py-4"
        onSubmit={(event) => void save(event)}
      >
        <RequiredNote />
        <TextField
          ref={first}
          label={t.name}
          required
          value={draft.name}
          maxLength={LIMITS.nameChars}
          autoComplete="off"
          error={errors['webhook.name'] ?? null}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label={t.url}
          required
          value={draft.url}
          maxLength={LIMITS.addressChars}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          placeholder={t.urlExample}
          error={errors['webhook.url'] ?? null}
          onChange={({ target }) => change({ url: target.value })}
        />
        <fieldset
          className="m-0 min-w-0 border-0 p-0"
          {...(none !== undefined && { 'data-error': true })}
        >
          <legend className="pb-1 font-semibold">{t.events}</legend>
          {NOTIFY_CATEGORIES.map((category) => (
            <Check
              key={category}
              checked={draft.categories.includes(category)}
              title={CATEGORY_NAMES[category]}
              onChange={(on) => toggle(category, on)}
            />
          ))}
          {none !== undefined && (
            <p className="m-0 flex items-center gap-1.5 pt-1 text-agate text-failed">
              <Icon name="failed" size={12} />
              {none}
            </p>
          )}
        </fieldset>
        <Companies
          chosen={draft.companies ?? null}
          error={errors['webhook.companies']}
          onChange={(companies) => change({ companies: companies && [...companies] })}
        />
        <Switch
          label={t.on}
          detail={t.onHint}
          on={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        {above !== null && (
          <Callout tone="failed" alert>
            {above}
          </Callout>
        )}
      </form>
    </Dialog>
  );
}

const NEW: WebhookFields = {
  name: '',
  url: '',
  enabled: true,
  categories: [...NOTIFY_CATEGORIES],
  companies: null,
};
