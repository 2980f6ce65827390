import { useEffect, useEffectEvent } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import { findKeyQuotaError } from '#contract/branding/quota.ts';
import { settingsCalls } from '#contract/branding/settings-calls.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { LIMITS } from '#contract/limits.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import type { PolicyFormProps } from './policy-form.tsx';
import { settingsMessages as t } from './messages.en.ts';

const MB = 1_000_000;
const MAX_MB = 1_000_000;
interface Draft {
  readonly key: string;
  readonly provider: string;
}
const getDraft = ({ ingestQuota }: ProviderSettings): Draft => ({
  key: String((ingestQuota?.keyBytes ?? LIMITS.ingestKeyBytesPerDay) / MB),
  provider: String((ingestQuota?.providerBytes ?? LIMITS.ingestProviderBytesPerDay) / MB),
});
const isWhole = (text: string): boolean =>
  /^[1-9]\d{0,6}$/.test(text.trim()) && Number(text) <= MAX_MB;
const getBytes = ({ key, provider }: Draft): { keyBytes: number; providerBytes: number } => ({
  keyBytes: Number(key) * MB,
  providerBytes: Number(provider) * MB,
});
const QUOTA_ERROR = t.limitNotValid;

/** SET-4: the errors by field. They are shown while the limits are typed. */
function findErrors(draft: Draft): { readonly key?: string; readonly provider?: string } {
  const provider = isWhole(draft.provider) ? null : QUOTA_ERROR;
  const key = !isWhole(draft.key)
    ? QUOTA_ERROR
    : provider === null
      ? findKeyQuotaError(getBytes(draft))
      : null;
  return { ...(key !== null && { key }), ...(provider !== null && { provider }) };
}
const makeQuotaSchema = (id: string) =>
  makeFormSchema(settingsCalls.setProviderSettings.input, (draft: Draft) => ({
    value: { id, ingestQuota: getBytes(draft) },
    errors: { ...findErrors(draft) },
  }));

/** Daily storage limit of sources (ING-17). */
export function QuotaForm({
  id,
  stored: { settings },
  offline,
  onSaved,
  onDirty,
}: PolicyFormProps) {
  const {
    form: draft,
    change,
    error,
    busy,
    dirty,
    save,
    reset,
  } = useDraftForm({
    initial: getDraft(settings),
    offline,
    schema: makeQuotaSchema(id),
    submit: (input) => withReauth(() => client().ask('setProviderSettings', input)),
    onSaved: (next) => {
      reset(getDraft(next.settings));
      onSaved(next);
      showSuccess(t.storageLimitsSaved);
    },
  });
  const { key: keyError = null, provider: providerError = null } = findErrors(draft);
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);
  return (
    <FormSection title={t.storageLimits} description={t.storageLimitsHint}>
      <TextField
        label={t.perKey}
        inputMode="numeric"
        value={draft.key}
        error={keyError}
        onChange={(event) => change({ key: event.currentTarget.value })}
      />
      <TextField
        label={t.allKeys}
        inputMode="numeric"
        value={draft.provider}
        error={providerError}
        onChange={(event) => change({ provider: event.currentTarget.value })}
      />
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <CallButton
          call="setProviderSettings"
          variant={dirty ? 'primary' : 'default'}
          busy={busy}
          disabled={offline || !dirty || keyError !== null || providerError !== null}
          aria-label={t.saveStorageLimits}
          onClick={() => void save()}
        >
          {uiMessages.save}
        </CallButton>
        {dirty && (
          <Button variant="quiet" onClick={() => reset()}>
            {t.discardChanges}
          </Button>
        )}
      </div>
    </FormSection>
  );
}
