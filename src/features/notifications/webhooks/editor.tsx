import { useRef } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { notifyCalls } from '#contract/notifications/calls.ts';
import type { WebhookOut } from '#contract/notifications/calls.ts';
import { NOTIFY_CATEGORIES } from '#contract/notifications/notifications.ts';
import type { NotifyCategory, WebhookFields } from '#contract/notifications/notifications.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { Companies } from './companies.tsx';
import { CATEGORY_NAMES, WEBHOOK_ERRORS } from './labels.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { webhookMessages as t } from './messages.en.ts';
import { getId } from '#src/features/shared/ids.ts';

export interface EditorProps {
  /** Null: a new webhook. */
  readonly webhook: WebhookOut | null;
  readonly offline: boolean;
  readonly onClose: () => void;
  /** `secret`: of a new webhook, otherwise null. */
  readonly onSaved: (name: string, secret: string | null) => void;
}

export function Editor({ webhook, offline, onClose, onSaved }: EditorProps) {
  const first = useRef<HTMLInputElement>(null);
  const {
    form: draft,
    change,
    errors,
    error,
    busy,
    dirty,
    formRef,
    save,
  } = useDraftForm({
    initial: webhook === null ? NEW : getFields(webhook),
    offline,
    schema,
    submit: async (input): Promise<Result<{ readonly secret?: string }>> =>
      withReauth<{ readonly secret?: string }>(() =>
        webhook === null
          ? client().ask('createWebhook', input)
          : client().ask('changeWebhook', { id: getId(webhook), ...input }),
      ),
    explain: (failure) => readServerErrors(failure, WEBHOOK_ERRORS),
    onSaved: ({ secret }, { webhook: saved }) => {
      if (webhook !== null) showSuccess(t.saved);
      onSaved(saved.name, secret ?? null);
    },
  });
  const toggle = (category: NotifyCategory, on: boolean): void =>
    change({
      categories: NOTIFY_CATEGORIES.filter((one) =>
        one === category ? on : draft.categories.includes(one),
      ),
    });
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const none = errors['webhook.categories'];
  return (
    <Dialog
      dirty={dirty}
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
        ref={formRef}
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
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
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
const getFields = ({ name, url, enabled, categories, companies }: WebhookOut): WebhookFields => ({
  name,
  url,
  enabled,
  categories: [...categories],
  companies,
});
const schema = makeFormSchema(
  notifyCalls.createWebhook.input,
  (webhook: WebhookFields) => ({ value: { webhook } }),
  WEBHOOK_ERRORS,
);
