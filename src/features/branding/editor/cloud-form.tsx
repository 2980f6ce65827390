import { FormSection } from '#src/ui/form-section.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import type { FeaturesFormProps } from './features-form.tsx';
import { RowsField } from './rows-field.tsx';
import { brandingMessages as t } from './messages.en.ts';

/** Prefix of addresses. */
const URL_START = 'https://';

/** Form section for users of the cloud-suite backup: terms, service levels and restore links. */
export function CloudForm({ features, errors, onFeatures }: FeaturesFormProps) {
  const { office365 } = features;
  const { selfRegistration, restorePortal } = office365;
  const { termsOfUse, serviceLevels } = selfRegistration;
  const put = (next: Partial<typeof office365>): void =>
    onFeatures({ ...features, office365: { ...office365, ...next } });
  const register = (next: Partial<typeof selfRegistration>): void =>
    put({ selfRegistration: { ...selfRegistration, ...next } });
  const restore = (next: Partial<typeof restorePortal>): void =>
    put({ restorePortal: { ...restorePortal, ...next } });
  const at = 'features.office365.selfRegistration';
  return (
    <FormSection title={t.microsoft365} description={t.microsoft365Hint}>
      <Switch
        label={t.termsOfUse}
        detail={t.termsOfUseHint}
        on={termsOfUse !== null}
        onChange={(on) =>
          register({ termsOfUse: on ? { title: t.termsOfUse, text: '', version: '1' } : null })
        }
      />
      {termsOfUse !== null && (
        <>
          <TextField
            label={t.termsTitle}
            required
            value={termsOfUse.title}
            error={errors[`${at}.termsOfUse.title`] ?? null}
            onChange={(event) =>
              register({ termsOfUse: { ...termsOfUse, title: event.target.value } })
            }
          />
          <TextField
            label={t.termsVersion}
            required
            value={termsOfUse.version}
            error={errors[`${at}.termsOfUse.version`] ?? null}
            onChange={(event) =>
              register({ termsOfUse: { ...termsOfUse, version: event.target.value } })
            }
          />
          <TextArea
            label={t.termsText}
            required
            rows={8}
            value={termsOfUse.text}
            error={errors[`${at}.termsOfUse.text`] ?? null}
            onChange={(event) =>
              register({ termsOfUse: { ...termsOfUse, text: event.target.value } })
            }
          />
        </>
      )}
      <RowsField
        label={t.serviceLevels}
        heads={[t.serviceLevelId, t.serviceLevelName]}
        add={t.addServiceLevel}
        rows={serviceLevels.map(({ id, label }) => [id, label] as const)}
        getErrorAt={(line) => errors[`${at}.serviceLevels.${line}.label`] ?? null}
        onRows={(rows) => register({ serviceLevels: rows.map(([id, label]) => ({ id, label })) })}
      />
      <TextField
        label={t.restoreUrl}
        type="url"
        value={office365.restoreUrl ?? ''}
        error={errors['features.office365.restoreUrl'] ?? null}
        maxLength={2_000}
        placeholder={URL_START}
        hint={t.restoreUrlHint}
        onChange={(event) =>
          put({ restoreUrl: event.target.value === '' ? null : event.target.value })
        }
      />
      <fieldset className="m-0 grid min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">{t.restoreHere}</legend>
        <Switch
          label={t.outlook}
          on={restorePortal.outlook}
          onChange={(outlook) => restore({ outlook })}
        />
        <Switch
          label={t.oneDrive}
          on={restorePortal.onedrive}
          onChange={(onedrive) => restore({ onedrive })}
        />
        <Switch
          label={t.sharePoint}
          on={restorePortal.sharepoint}
          onChange={(sharepoint) => restore({ sharepoint })}
        />
        <Switch label={t.teams} on={restorePortal.teams} onChange={(teams) => restore({ teams })} />
      </fieldset>
    </FormSection>
  );
}
