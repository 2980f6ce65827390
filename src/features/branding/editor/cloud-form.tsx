import { FormSection } from '#src/ui/form-section.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import type { FeaturesFormProps } from './features-form.tsx';
import { RowsField } from './rows-field.tsx';

/** What users of the cloud-suite backup meet: terms, service levels, and where they restore. */
export function CloudForm({ features, faults, onFeatures }: FeaturesFormProps) {
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
    <FormSection
      title="Microsoft 365"
      says="Terms that are accepted when somebody registers, service levels to choose from, and restoring."
    >
      <Switch
        label="Terms of use"
        detail="Accepted when somebody registers. A new version is asked for again."
        on={termsOfUse !== null}
        onChange={(on) =>
          register({ termsOfUse: on ? { title: 'Terms of use', text: '', version: '1' } : null })
        }
      />
      {termsOfUse !== null && (
        <>
          <TextField
            label="Title of the terms"
            required
            value={termsOfUse.title}
            fault={faults[`${at}.termsOfUse.title`] ?? null}
            onChange={(event) =>
              register({ termsOfUse: { ...termsOfUse, title: event.target.value } })
            }
          />
          <TextField
            label="Version"
            required
            value={termsOfUse.version}
            fault={faults[`${at}.termsOfUse.version`] ?? null}
            onChange={(event) =>
              register({ termsOfUse: { ...termsOfUse, version: event.target.value } })
            }
          />
          <TextArea
            label="Text of the terms"
            required
            rows={8}
            value={termsOfUse.text}
            fault={faults[`${at}.termsOfUse.text`] ?? null}
            onChange={(event) =>
              register({ termsOfUse: { ...termsOfUse, text: event.target.value } })
            }
          />
        </>
      )}
      <RowsField
        label="Service levels"
        heads={['Id', 'Words']}
        add="Add a service level"
        rows={serviceLevels.map(({ id, label }) => [id, label] as const)}
        faultAt={(line) => faults[`${at}.serviceLevels.${line}.label`] ?? null}
        onRows={(rows) => register({ serviceLevels: rows.map(([id, label]) => ({ id, label })) })}
      />
      <TextField
        label="Address for restoring"
        type="url"
        value={office365.restoreUrl ?? ''}
        fault={faults['features.office365.restoreUrl'] ?? null}
        maxLength={2_000}
        placeholder="https://"
        hint="Empty: users restore in this portal."
        onChange={(event) =>
          put({ restoreUrl: event.target.value === '' ? null : event.target.value })
        }
      />
      <fieldset className="m-0 grid min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">Restoring in this portal</legend>
        <Switch
          label="Outlook"
          on={restorePortal.outlook}
          onChange={(outlook) => restore({ outlook })}
        />
        <Switch
          label="OneDrive"
          on={restorePortal.onedrive}
          onChange={(onedrive) => restore({ onedrive })}
        />
        <Switch
          label="SharePoint"
          on={restorePortal.sharepoint}
          onChange={(sharepoint) => restore({ sharepoint })}
        />
        <Switch label="Teams" on={restorePortal.teams} onChange={(teams) => restore({ teams })} />
      </fieldset>
    </FormSection>
  );
}
