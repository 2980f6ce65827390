import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { LIMITS } from '#contract/limits.ts';
import { Choice } from '#src/ui/choice.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { ItemPicker } from '../../../shared/directory-picker/item-picker.tsx';
import { getOrganizationOptions } from '../../../shared/organizations/options.ts';
import { PICKER_KINDS } from '../../../shared/directory-picker/items.ts';
import type { PickedItem } from '../../../shared/directory-picker/items.ts';
import { OPERATOR_KINDS } from './definition.ts';
import type { RoleData } from './definition.ts';
import { roleWizardMessages as t } from './messages.en.ts';

export interface RoleStepProps {
  readonly data: RoleData;
  readonly edit: (changes: Partial<RoleData>) => void;
  /** The message about a field, or null. */
  readonly getError: (field: keyof RoleData) => string | null;
}

export function NameStep({ data, edit, getError: getFieldError }: RoleStepProps) {
  return (
    <>
      <TextField
        label={t.name}
        required
        value={data.name}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        error={getFieldError('name')}
        onChange={({ target }) => edit({ name: target.value })}
      />
      <TextArea
        label={t.description}
        value={data.description}
        rows={2}
        maxLength={LIMITS.noteChars}
        onChange={({ target }) => edit({ description: target.value })}
      />
    </>
  );
}

export function OrganizationStep({
  step: { data, edit, getError: getFieldError },
  organizations,
}: {
  readonly step: RoleStepProps;
  readonly organizations: readonly OrganizationRow[];
}) {
  if (data.id !== null)
    return (
      <>
        <p className="m-0 font-semibold">
          {organizations.find(({ id }) => id === data.organizationId)?.name}
        </p>
        <p className="m-0 text-ink-2">{t.organizationFixed}</p>
      </>
    );
  return (
    <Select
      label={t.organization}
      required
      block
      placeholder={t.chooseOrganization}
      value={data.organizationId ?? ''}
      options={getOrganizationOptions(organizations)}
      error={getFieldError('organizationId')}
      onChange={(organizationId) => edit({ organizationId })}
    />
  );
}

export function OperatorsStep({ data, edit, getError: getFieldError }: RoleStepProps) {
  return (
    <>
      <p className="m-0 text-ink-2">{t.operatorsLead}</p>
      <ItemPicker
        organizationId={data.organizationId}
        kinds={OPERATOR_KINDS}
        items={data.operators}
        makeItem={makeItem}
        error={getFieldError('operators')}
        onChange={(operators) => edit({ operators })}
      />
      <fieldset className="m-0 grid min-w-0 gap-1 border-0 p-0">
        <legend className="w-full border-b border-head-rule p-0 pb-1 font-semibold">
          {t.rights}
        </legend>
        <Switch
          label={t.withoutReading}
          detail={t.withoutReadingHint}
          on={data.withoutReading}
          onChange={(withoutReading) => edit({ withoutReading })}
        />
        <Switch
          label={t.mayDownload}
          detail={t.mayDownloadHint}
          disabled={data.withoutReading}
          on={data.mayDownload}
          onChange={(mayDownload) => edit({ mayDownload })}
        />
        <Switch
          label={t.needsSecondPerson}
          detail={t.needsSecondPersonHint}
          on={data.needsSecondPerson}
          onChange={(needsSecondPerson) => edit({ needsSecondPerson })}
        />
      </fieldset>
    </>
  );
}

export function ScopeStep({ data, edit, getError: getFieldError }: RoleStepProps) {
  return (
    <>
      <p className="m-0 text-ink-2">{t.scopeLead}</p>
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="sr-only">{t.stepScope}</legend>
        <div className="grid border-t-2 border-b border-t-head-rule border-b-rule tablet:grid-cols-2 tablet:gap-x-6 tablet:[&>label]:border-0">
          <Choice
            name="roleType"
            checked={data.roleType === 'EntireOrganization'}
            title={t.entireOrganization}
            detail={t.entireHint}
            onChoose={() => edit({ roleType: 'EntireOrganization' })}
          />
          <Choice
            name="roleType"
            checked={data.roleType === 'SpecificObjects'}
            title={t.specificObjects}
            detail={t.specificHint}
            onChoose={() => edit({ roleType: 'SpecificObjects' })}
          />
        </div>
      </fieldset>
      {data.roleType === 'SpecificObjects' && (
        <ItemPicker
          organizationId={data.organizationId}
          kinds={PICKER_KINDS}
          items={data.selectedItems}
          makeItem={makeItem}
          error={getFieldError('selectedItems')}
          onChange={(selectedItems) => edit({ selectedItems })}
        />
      )}
    </>
  );
}

export function ExcludeStep({ data, edit, getError: getFieldError }: RoleStepProps) {
  return (
    <>
      <p className="m-0 text-ink-2">{t.excludeLead}</p>
      <ItemPicker
        organizationId={data.organizationId}
        kinds={PICKER_KINDS}
        items={data.excludedItems}
        makeItem={makeItem}
        error={getFieldError('excludedItems')}
        onChange={(excludedItems) => edit({ excludedItems })}
      />
    </>
  );
}

const makeItem = (picked: PickedItem): PickedItem => picked;
