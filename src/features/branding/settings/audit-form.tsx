import { useEffect, useEffectEvent } from 'react';
import { AUDIT_YEARS } from '#contract/branding/settings.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { settingsCalls } from '#contract/branding/settings-calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { Select } from '#src/ui/select.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { settingsMessages as t } from './messages.en.ts';
import type { PolicyFormProps } from './policy-form.tsx';

type Years = NonNullable<ProviderSettings['restoreAuditYears']>;
const FOREVER = 'forever';
interface AuditDraft {
  readonly years: `${Years}` | typeof FOREVER;
}
const getDraft = ({ restoreAuditYears: years }: ProviderSettings): AuditDraft => ({
  years: years === undefined || years === null ? FOREVER : `${years}`,
});
const makeAuditSchema = (id: string) =>
  makeFormSchema(settingsCalls.setProviderSettings.input, ({ years }: AuditDraft) => ({
    value: { id, restoreAuditYears: AUDIT_YEARS.find((one) => `${one}` === years) ?? null },
  }));

/** For how long the audit of restores is stored (RES-56). */
export function AuditForm({
  id,
  stored: { settings },
  offline,
  onSaved,
  onDirty,
}: PolicyFormProps) {
  const { form, change, error, busy, dirty, save, reset } = useDraftForm({
    initial: getDraft(settings),
    offline,
    schema: makeAuditSchema(id),
    submit: (input) => withReauth(() => client().ask('setProviderSettings', input)),
    onSaved: (next) => {
      reset(getDraft(next.settings));
      onSaved(next);
      showSuccess(t.auditSaved);
    },
  });
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);
  return (
    <FormSection title={t.restoreAudit} description={t.restoreAuditHint}>
      <Select
        block
        label={t.auditYears}
        value={form.years}
        options={[
          ...AUDIT_YEARS.map((years) => ({
            value: `${years}` as const,
            label: t.years({ count: years }),
          })),
          { value: FOREVER, label: t.forever },
        ]}
        onChange={(years) => change({ years })}
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
          disabled={offline || !dirty}
          aria-label={t.saveAudit}
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
