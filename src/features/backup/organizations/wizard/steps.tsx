import { RETENTION_POLICIES } from '#contract/backup/retention.ts';
import { REGIONS } from '#contract/backup/organizations.ts';
import { LIMITS } from '#contract/limits.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { Check } from '#src/ui/check.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { regionLabel } from '../labels.ts';
import { organizationMessages } from '../messages.en.ts';
import { backupRepositoryMessages } from '../../repositories/messages.en.ts';
import { PasswordInputs } from '../../repositories/password-inputs.tsx';
import { retentionLabel } from '../../repositories/retention-label.ts';
import { StorageFields } from '../../repositories/storage-fields.tsx';
import { WIZARD_AUTH_TYPES, getVariant } from './definition.ts';
import type { OrganizationData, Supported } from './definition.ts';
import { changeStorage, getStorage, getStoragePath } from './storage-data.ts';
import { organizationWizardMessages as t } from './messages.en.ts';

export interface StepProps {
  readonly data: OrganizationData;
  readonly edit: (changes: Partial<OrganizationData>) => void;
  /** The message about a field, or null. */
  readonly getError: (path: string) => string | null;
}

type TextName = {
  [K in keyof OrganizationData]: OrganizationData[K] extends string ? K : never;
}[keyof OrganizationData];

/** A text of the data. */
function Text({
  step: { data, edit, getError: getFieldError },
  field,
  ...rest
}: {
  readonly step: StepProps;
  readonly field: TextName;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly type?: 'password' | 'email';
  readonly disabled?: boolean;
  readonly maxLength?: number;
}) {
  return (
    <TextField
      maxLength={LIMITS.nameChars}
      autoComplete={rest.type === 'password' ? 'new-password' : 'off'}
      spellCheck={false}
      value={data[field]}
      error={getFieldError(field)}
      onChange={({ target }) => edit({ [field]: target.value })}
      {...rest}
    />
  );
}

export function GeneralStep({
  step,
  companies,
  supported,
}: {
  readonly step: StepProps;
  readonly companies: readonly CompanyRow[];
  /** Null: not known, then the server decides. */
  readonly supported: Supported | null;
}) {
  const { data, edit, getError: getFieldError } = step;
  const serviceError = getFieldError('isExchangeOnline');
  const options = companies
    .map(({ n, name }) => ({ value: String(n), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const company = {
    label: t.company,
    required: true,
    block: true,
    value: data.companyN === null ? '' : String(data.companyN),
    options,
    placeholder: t.chooseCompany,
    error: getFieldError('companyN'),
    onChange: (n: string) => edit({ companyN: Number(n) }),
  };
  return (
    <>
      {data.id === null &&
        (companies.length > FEW ? <Combobox {...company} /> : <Select {...company} />)}
      <Text step={step} field="name" label={t.name} required />
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">{t.services}</legend>
        <div {...(serviceError !== null && { 'data-error': '' })}>
          {(
            [
              ['exchange', 'isExchangeOnline', organizationMessages.exchange, t.exchangeHint],
              [
                'sharepoint',
                'isSharePointOnline',
                organizationMessages.sharePoint,
                t.sharePointHint,
              ],
              ['teams', 'isTeamsOnline', organizationMessages.teams, t.teamsHint],
              [
                'teamsChats',
                'isTeamsChatsOnline',
                organizationMessages.teamsChats,
                t.teamsChatsHint,
              ],
            ] as const
          ).map(([service, field, title, detail]) => {
            const isMissing = supported !== null && !supported.services.includes(service);
            return (
              <Check
                key={field}
                title={title}
                detail={isMissing ? t.notSupported : detail}
                checked={data[field] && (field !== 'isTeamsChatsOnline' || data.isTeamsOnline)}
                disabled={
                  (isMissing && !data[field]) ||
                  (field === 'isTeamsChatsOnline' && !data.isTeamsOnline)
                }
                onChange={(checked) => edit({ [field]: checked })}
              />
            );
          })}
        </div>
        {serviceError !== null && <p className="m-0 text-agate text-failed">{serviceError}</p>}
      </fieldset>
      <Select
        label={t.region}
        block
        value={data.region}
        options={REGIONS.map((region) => ({ value: region, label: regionLabel(region) }))}
        onChange={(region) => edit({ region })}
      />
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">{t.authentication}</legend>
        {(
          [
            ['modern', t.modern, t.modernHint, { auth: 'modern', legacy: false }],
            ['legacy', t.legacy, t.legacyHint, { auth: 'modern', legacy: true }],
            ['basic', t.basic, t.basicHint, { auth: 'basic', legacy: false }],
          ] as const
        ).map(([variant, title, detail, changes]) => {
          const isMissing =
            supported !== null && !supported.authTypes.includes(WIZARD_AUTH_TYPES[variant]);
          return (
            <Choice
              key={variant}
              name="auth"
              checked={getVariant(data) === variant}
              disabled={isMissing}
              title={title}
              detail={isMissing ? t.notSupported : detail}
              onChoose={() => edit(changes)}
            />
          );
        })}
        {getFieldError('auth') !== null && (
          <p className="m-0 text-agate text-failed">{getFieldError('auth')}</p>
        )}
      </fieldset>
    </>
  );
}

export function ApplicationStep({ data, edit }: StepProps) {
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="sr-only">{t.stepApplication}</legend>
      {(
        [
          ...(data.id === null
            ? []
            : [['keep', t.applicationKeep, t.applicationKeepHint] as const]),
          ['new', t.applicationNew, t.applicationNewHint],
          ['existing', t.applicationExisting, t.applicationExistingHint],
        ] as const
      ).map(([application, title, detail]) => (
        <Choice
          key={application}
          name="application"
          checked={data.application === application}
          title={title}
          detail={detail}
          onChoose={() => edit({ application })}
        />
      ))}
    </fieldset>
  );
}

export function NewApplicationStep({ step }: { readonly step: StepProps }) {
  return (
    <>
      <Text
        step={step}
        field="newApplicationName"
        label={t.applicationName}
        hint={t.applicationNameHint}
        required
      />
      <WebParts {...step} />
    </>
  );
}

export function ExistingApplicationStep({ step }: { readonly step: StepProps }) {
  const { data, edit } = step;
  return (
    <>
      <Text step={step} field="applicationId" label={t.applicationId} required />
      <Text
        step={step}
        field="officeOrganizationName"
        label={t.officeName}
        hint={t.officeNameHint}
        required
      />
      <Switch
        label={t.configureApplication}
        detail={t.configureApplicationHint}
        on={data.configureApplication}
        onChange={(configureApplication) => edit({ configureApplication })}
      />
      <WebParts {...step} />
    </>
  );
}

/** The built-in engine has no such option: the value that the API stores is shown. */
const WebParts = ({ data }: StepProps) =>
  data.isSharePointOnline && (
    <Switch
      label={t.saveAllWebParts}
      detail={t.saveAllWebPartsHint}
      on={data.sharePointSaveAllWebParts}
      disabled
      onChange={ignore}
    />
  );
const ignore = (): void => undefined;

export function LegacyApplicationStep({ step }: { readonly step: StepProps }) {
  const isStored = step.data.id !== null;
  return (
    <>
      <Text step={step} field="applicationId" label={t.applicationId} required />
      <Text
        step={step}
        field="applicationSecret"
        label={t.applicationSecret}
        type="password"
        maxLength={LIMITS.secretChars}
        required={!isStored}
        {...(isStored && { hint: t.secretStored })}
      />
    </>
  );
}

/** The tenant of an application with a secret. */
export const LegacyTenantStep = ({ step }: { readonly step: StepProps }) => (
  <>
    <Text
      step={step}
      field="officeOrganizationName"
      label={t.officeName}
      hint={step.data.id === null ? t.officeNameHint : t.officeNameFixed}
      required
      disabled={step.data.id !== null}
    />
    <p className="m-0 text-ink-2">{t.noServiceAccounts}</p>
  </>
);

/** The service account of a service. */
export function AccountStep({
  step,
  service,
}: {
  readonly step: StepProps;
  readonly service: 'exchange' | 'sharePoint';
}) {
  const { data, edit } = step;
  const isStored = data.id !== null;
  return (
    <fieldset className="m-0 grid min-w-0 gap-3 border-0 p-0">
      <legend className="mb-3 w-full border-b-2 border-head-rule p-0 pb-1 font-semibold">
        {service === 'exchange' ? t.exchangeAccount : t.sharePointAccount}
      </legend>
      <Text step={step} field={`${service}Account`} label={t.account} type="email" required />
      <Text
        step={step}
        field={`${service}Password`}
        label={t.password}
        type="password"
        maxLength={LIMITS.secretChars}
        required={!isStored}
        {...(isStored && { hint: t.secretStored })}
      />
      <Switch
        label={t.grantAdminAccess}
        on={data[`${service}GrantAdminAccess`]}
        onChange={(on) => edit({ [`${service}GrantAdminAccess`]: on })}
      />
    </fieldset>
  );
}

export function RepositoryStep({ step }: { readonly step: StepProps }) {
  const { data, edit } = step;
  return (
    <>
      <p className="m-0 text-ink-2">{t.repositoryLead}</p>
      <Switch
        label={t.createRepository}
        detail={t.createRepositoryHint}
        on={data.hasRepository}
        onChange={(hasRepository) => edit({ hasRepository })}
      />
      {data.hasRepository && (
        <>
          <Text step={step} field="repository" label={t.repositoryName} required />
          <Select
            label={backupRepositoryMessages.keepBackups}
            block
            value={data.retentionPolicy}
            options={RETENTION_POLICIES.map((policy) => ({
              value: policy,
              label: retentionLabel(policy),
            }))}
            error={step.getError('retentionPolicy')}
            onChange={(retentionPolicy) => edit({ retentionPolicy })}
          />
          <Switch
            label={backupRepositoryMessages.ownPassword}
            detail={backupRepositoryMessages.ownPasswordHint}
            on={data.hasOwnPassword}
            onChange={(hasOwnPassword) => edit({ hasOwnPassword })}
          />
          {data.hasOwnPassword && (
            <PasswordInputs fields={data} getError={step.getError} onChange={edit} />
          )}
          <StorageFields
            fields={getStorage(data)}
            getError={(field) => step.getError(getStoragePath(field))}
            onChange={(changes) => edit(changeStorage(data, changes))}
          />
        </>
      )}
    </>
  );
}

/** With more companies than this, the list has a search field. */
const FEW = 10;
