import { RETENTION_POLICIES } from '#contract/backup/retention.ts';
import { DAILY_TYPES, MONTHLY_NUMBERS, WEEKDAYS } from '#contract/backup/schedule.ts';
import { CLEAN_UP_TYPES } from '#contract/backup/server-repositories.ts';
import { LIMITS } from '#contract/limits.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { FormPart } from '../../shared/forms/form-parts.tsx';
import { daysLabel, numberLabel } from '../jobs/labels.ts';
import { retentionLabel } from './retention-label.ts';
import { RetentionTypeField } from './retention-type-field.tsx';
import type { ServerRepositoryForm } from './server-form.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export interface ServerFieldsProps {
  readonly form: ServerRepositoryForm;
  readonly getError: (field: keyof ServerRepositoryForm) => string | null;
  readonly change: (changes: Partial<ServerRepositoryForm>) => void;
}

export function NameFields({ form, getError, change }: ServerFieldsProps) {
  return (
    <>
      <TextField
        label={t.name}
        required
        value={form.repository}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        error={getError('repository')}
        onChange={({ target }) => change({ repository: target.value })}
      />
      <TextField
        label={t.description}
        value={form.description}
        maxLength={LIMITS.subjectChars}
        autoComplete="off"
        onChange={({ target }) => change({ description: target.value })}
      />
    </>
  );
}

/** How long the server keeps backups, and when it removes older ones. */
export function RetentionFields({
  form,
  getError,
  change,
  isNew,
  shortens,
}: ServerFieldsProps & {
  /** The type of the retention stays for life. */
  readonly isNew: boolean;
  readonly shortens: boolean;
}) {
  return (
    <>
      <FormPart title={t.retention}>
        <div className="grid items-start gap-4 tablet:grid-cols-2">
          {form.unit === 'years' ? (
            <Select
              label={t.keepBackups}
              block
              value={form.policy}
              options={RETENTION_POLICIES.map((policy) => ({
                value: policy,
                label: retentionLabel(policy),
              }))}
              onChange={(policy) => change({ policy })}
            />
          ) : (
            <TextField
              label={t.keepBackups}
              required
              inputMode="numeric"
              autoComplete="off"
              maxLength={4}
              value={form.count}
              error={getError('count')}
              onChange={({ target }) => change({ count: target.value })}
            />
          )}
          <Select
            label={t.periodIn}
            block
            value={form.unit}
            options={[
              { value: 'days', label: t.inDays },
              { value: 'months', label: t.inMonths },
              { value: 'years', label: t.inYears },
            ]}
            onChange={(unit) => change({ unit })}
          />
        </div>
        {shortens && <Callout tone="warning">{t.shortens}</Callout>}
        {isNew && (
          <RetentionTypeField
            value={form.retentionType}
            onChange={(retentionType) => change({ retentionType })}
          />
        )}
      </FormPart>
      <CleanUpFields form={form} getError={getError} change={change} />
    </>
  );
}

function CleanUpFields({ form, getError, change }: ServerFieldsProps) {
  return (
    <FormPart title={t.cleanUp}>
      <Select
        label={t.cleanUpRuns}
        block
        value={form.cleanUpType}
        options={CLEAN_UP_TYPES.map((value) => ({
          value,
          label: value === 'Daily' ? t.cleanUpByDay : t.cleanUpByMonth,
        }))}
        onChange={(cleanUpType) => change({ cleanUpType })}
      />
      <div className="grid items-start gap-4 tablet:grid-cols-2">
        {form.cleanUpType === 'Daily' ? (
          <Select
            label={t.cleanUpDay}
            block
            value={form.dailyDay}
            options={DAILY_TYPES.map((value) => ({ value, label: daysLabel(value) }))}
            onChange={(dailyDay) => change({ dailyDay })}
          />
        ) : (
          <>
            <Select
              label={t.cleanUpWeek}
              block
              value={form.monthlyNumber}
              options={MONTHLY_NUMBERS.map((value) => ({ value, label: numberLabel(value) }))}
              onChange={(monthlyNumber) => change({ monthlyNumber })}
            />
            <Select
              label={t.cleanUpDay}
              block
              value={form.monthlyDay}
              options={WEEKDAYS.map((value) => ({ value, label: daysLabel(value) }))}
              onChange={(monthlyDay) => change({ monthlyDay })}
            />
          </>
        )}
        <TextField
          label={t.cleanUpTime}
          hint={t.serverTime}
          type="time"
          required
          value={form.time}
          error={getError('time')}
          onChange={({ target }) => change({ time: target.value })}
        />
      </div>
    </FormPart>
  );
}
