import { useEffect, useEffectEvent, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import { findKeyQuotaError } from '#contract/branding/quota.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { LIMITS } from '#contract/limits.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
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

/** Daily storage limit of sources (ING-17). */
export function QuotaForm({
  id,
  stored: { settings },
  offline,
  onSaved,
  onDirty,
}: PolicyFormProps) {
  const before = getDraft(settings);
  const [draft, setDraft] = useState<Draft>(before);
  const [busy, setBusy] = useState(false);
  const [above, setAbove] = useState<string | null>(null);
  const dirty = draft.key !== before.key || draft.provider !== before.provider;
  const providerError = isWhole(draft.provider) ? null : QUOTA_ERROR;
  const keyError = !isWhole(draft.key)
    ? QUOTA_ERROR
    : providerError === null
      ? findKeyQuotaError(getBytes(draft))
      : null;
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);
  const put = (next: Partial<Draft>): void => {
    setDraft({ ...draft, ...next });
    setAbove(null);
  };

  async function save(): Promise<void> {
    setBusy(true);
    const answer = await withReauth(() =>
      client().ask('setProviderSettings', {
        id,
        ingestQuota: getBytes(draft),
      }),
    );
    setBusy(false);
    if (answer.ok) {
      setDraft(getDraft(answer.value.settings));
      onSaved(answer.value);
      tell(t.storageLimitsSaved);
    } else setAbove(answer.failure.message);
  }

  return (
    <FormSection title={t.storageLimits} description={t.storageLimitsHint}>
      <TextField
        label={t.perKey}
        inputMode="numeric"
        value={draft.key}
        error={keyError}
        onChange={(event) => put({ key: event.currentTarget.value })}
      />
      <TextField
        label={t.allKeys}
        inputMode="numeric"
        value={draft.provider}
        error={providerError}
        onChange={(event) => put({ provider: event.currentTarget.value })}
      />
      {above !== null && (
        <Callout tone="failed" alert>
          {above}
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
          <Button variant="quiet" onClick={() => put(before)}>
            {t.discardChanges}
          </Button>
        )}
      </div>
    </FormSection>
  );
}
