import type { BackupProxyRow, BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import {
  DAILY_TYPES,
  MONTHLY_DAYS,
  MONTHLY_NUMBERS,
  nextRuns,
  PERIODICALLY_EVERY,
  SERVER_SCHEDULES,
} from '#contract/backup/schedule.ts';
import { LIMITS } from '#contract/limits.ts';
import { useNow } from '#src/app/clock.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Choice } from '#src/ui/choice.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { daysLabel, numberLabel, periodLabel } from '../labels.ts';
import { backupJobMessages } from '../messages.en.ts';
import { defaultParts, ON_SERVER, SCHEDULE_TYPES, getSchedule } from './definition.ts';
import type { ChosenItem, JobData } from './definition.ts';
import type { PickedItem } from '../../../shared/directory-picker/items.ts';
import { PICKER_KINDS } from '../../../shared/directory-picker/items.ts';
import { ItemPicker } from '../../../shared/directory-picker/item-picker.tsx';
import { getOrganizationOptions } from '../../../shared/organizations/options.ts';
import { ItemParts } from './item-parts.tsx';
import { VersionHistory } from './version-history.tsx';
import { WindowGrid } from './window-grid.tsx';
import { jobWizardMessages as t } from './messages.en.ts';

export interface JobStepProps {
  readonly data: JobData;
  readonly edit: (changes: Partial<JobData>) => void;
  /** A Veeam server has the job. */
  readonly isOnServer: boolean;
  /** The message about a field, or null. */
  readonly getError: (field: keyof JobData) => string | null;
}

export function NameStep({
  step: { data, edit, isOnServer, getError: getFieldError },
  organizations,
}: {
  readonly step: JobStepProps;
  readonly organizations: readonly OrganizationRow[];
}) {
  const organization = organizations.find(({ id }) => id === data.organizationId);
  const hasChats = organization?.isTeamsChatsOnline !== false;
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
      {data.id === null && (
        <Select
          label={t.organization}
          required
          block
          placeholder={t.chooseOrganization}
          value={data.organizationId ?? ''}
          options={getOrganizationOptions(organizations, () => true)}
          error={getFieldError('organizationId')}
          onChange={(organizationId) => edit({ organizationId })}
        />
      )}
      <Switch
        label={t.teamsChats}
        {...(isOnServer ? { detail: t.chatsOnServer } : !hasChats && { detail: t.teamsChatsOff })}
        disabled={isOnServer || (!hasChats && !data.isTeamsChatsEnabled)}
        on={data.isTeamsChatsEnabled}
        onChange={(isTeamsChatsEnabled) => edit({ isTeamsChatsEnabled })}
      />
      {!isOnServer && (
        <VersionHistory
          value={data.fileVersions}
          onChange={(fileVersions) => edit({ fileVersions })}
        />
      )}
      <Switch
        label={t.fullText}
        detail={isOnServer ? t.fullTextOnServer : t.fullTextHint}
        disabled={isOnServer}
        on={!isOnServer && data.isFullTextEnabled}
        onChange={(isFullTextEnabled) => edit({ isFullTextEnabled })}
      />
    </>
  );
}

export function SelectStep({ data, edit, isOnServer, getError: getFieldError }: JobStepProps) {
  return (
    <>
      <p className="m-0 text-ink-2">{t.selectLead}</p>
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="sr-only">{t.stepSelect}</legend>
        <div className="grid border-t-2 border-b border-t-head-rule border-b-rule tablet:grid-cols-2 tablet:gap-x-6 tablet:[&>label]:border-0">
          <Choice
            name="backupType"
            checked={data.backupType === 'EntireOrganization'}
            title={t.entireOrganization}
            detail={t.entireHint}
            onChoose={() => edit({ backupType: 'EntireOrganization' })}
          />
          <Choice
            name="backupType"
            checked={data.backupType === 'SelectedItems'}
            title={t.selectedItems}
            detail={t.selectedHint}
            onChoose={() => edit({ backupType: 'SelectedItems' })}
          />
        </div>
      </fieldset>
      {data.backupType === 'SelectedItems' && (
        <ItemPicker
          organizationId={data.organizationId}
          kinds={PICKER_KINDS}
          hasAllSites={!isOnServer}
          items={data.selectedItems}
          makeItem={itemMaker(isOnServer)}
          renderParts={(item, onChange) => (
            <ItemParts item={item} isOnServer={isOnServer} onChange={onChange} />
          )}
          error={getFieldError('selectedItems')}
          onChange={(selectedItems) => edit({ selectedItems })}
        />
      )}
      {data.backupType === 'SelectedItems' && <OtherItems count={data.otherSelected.length} />}
    </>
  );
}

const itemMaker =
  (isOnServer: boolean) =>
  (picked: PickedItem): ChosenItem => ({
    ...picked,
    parts: defaultParts(picked.type, isOnServer),
  });

/** Items that the page doesn't list. */
const OtherItems = ({ count }: { readonly count: number }) =>
  count > 0 && <p className="m-0 text-agate text-ink-2">{t.otherItems({ count })}</p>;

export function ExcludeStep({ data, edit, isOnServer, getError: getFieldError }: JobStepProps) {
  return (
    <>
      <p className="m-0 text-ink-2">{t.excludeLead}</p>
      <ItemPicker
        organizationId={data.organizationId}
        kinds={PICKER_KINDS}
        hasAllSites={!isOnServer}
        items={data.excludedItems}
        makeItem={itemMaker(isOnServer)}
        error={getFieldError('excludedItems')}
        onChange={(excludedItems) => edit({ excludedItems })}
      />
      <OtherItems count={data.otherExcluded.length} />
    </>
  );
}

export function PlaceStep({
  step: { data, edit, isOnServer, getError: getFieldError },
  repositories,
  proxies,
}: {
  readonly step: JobStepProps;
  readonly repositories: readonly BackupRepositoryRow[];
  readonly proxies: readonly BackupProxyRow[];
}) {
  const own = repositories.filter(({ organization }) => organization === data.organizationId);
  const found = useServerRepositories(isOnServer ? data.organizationId : null);
  return (
    <>
      {own.length === 0 && !isOnServer && <p className="m-0 text-warning">{t.noRepositories}</p>}
      {own.length === 0 && isOnServer && found.options.length === 0 && (
        <p className="m-0 text-warning">{found.reason ?? t.noServerRepositories}</p>
      )}
      <Select
        label={t.repository}
        required
        block
        placeholder={t.chooseRepository}
        value={data.repositoryId ?? ''}
        options={[
          ...own.map(({ id, name }) => ({ value: id as string, label: name })),
          ...found.options,
        ]}
        error={getFieldError('repositoryId')}
        onChange={(repositoryId) => edit({ repositoryId })}
      />
      {isOnServer ? (
        <p className="m-0 text-ink-2">{t.serverProxy}</p>
      ) : (
        <Select
          label={t.proxy}
          block
          value={data.proxyId ?? ANY}
          options={[
            { value: ANY, label: t.anyProxy },
            ...proxies.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          error={getFieldError('proxyId')}
          onChange={(proxyId) => edit({ proxyId: proxyId === ANY ? null : proxyId })}
        />
      )}
    </>
  );
}

/** The repositories of an organization's server that the organization doesn't use yet. */
function useServerRepositories(organizationId: string | null): {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** Why there are none; null: the server has no other. */
  readonly reason: string | null;
} {
  const seesAll = useMe()?.companies === null;
  const { value, failure } = useCachedQuery(
    'getServerStorage',
    { organizationId: organizationId ?? '' },
    { wanted: organizationId !== null && seesAll },
  );
  if (organizationId === null) return { options: [], reason: null };
  if (!seesAll) return { options: [], reason: t.askForRepository };
  return {
    options: (value?.repositories ?? []).map(({ id, name }) => ({
      value: `${ON_SERVER}${id}`,
      label: t.unusedRepository({ name }),
    })),
    reason: failure === null ? (value === null ? t.readingServer : null) : failure.message,
  };
}

export function ScheduleStep({
  step,
  jobs,
}: {
  readonly step: JobStepProps;
  /** Jobs that this one may follow. */
  readonly jobs: readonly BackupJobRow[];
}) {
  const { data, edit, isOnServer, getError: getFieldError } = step;
  const isOffered = (type: JobData['type']): boolean =>
    !isOnServer || type === 'Disabled' || SERVER_SCHEDULES.some((one) => one === type);
  const time = (
    <TextField
      label={t.time}
      type="time"
      required
      value={data.time}
      {...(isOnServer && { hint: t.serverClock })}
      error={getFieldError('time')}
      onChange={({ target }) => edit({ time: target.value })}
    />
  );
  return (
    <>
      <Select
        label={t.scheduleType}
        block
        value={data.type}
        options={SCHEDULE_TYPES.map((value) =>
          isOffered(value)
            ? { value, label: typeLabel(value) }
            : { value, label: t.notOnServer({ type: typeLabel(value) }), disabled: true },
        )}
        error={getFieldError('type')}
        onChange={(type) => edit({ type })}
      />
      {data.type === 'Daily' && (
        <div className="grid items-start gap-4 tablet:grid-cols-2">
          <Select
            label={t.days}
            block
            value={data.dailyType}
            options={DAILY_TYPES.map((value) => ({ value, label: daysLabel(value) }))}
            onChange={(dailyType) => edit({ dailyType })}
          />
          {time}
        </div>
      )}
      {data.type === 'Monthly' && (
        <div className="grid items-start gap-4 tablet:grid-cols-3">
          <Select
            label={t.number}
            block
            value={data.monthlyNumber}
            options={MONTHLY_NUMBERS.map((value) => ({ value, label: numberLabel(value) }))}
            onChange={(monthlyNumber) => edit({ monthlyNumber })}
          />
          <Select
            label={t.day}
            block
            value={data.monthlyDay}
            options={MONTHLY_DAYS.map((value) => ({
              value,
              label: value === 'Day' ? backupJobMessages.day : daysLabel(value),
            }))}
            onChange={(monthlyDay) => edit({ monthlyDay })}
          />
          {time}
        </div>
      )}
      {data.type === 'Periodically' && (
        <Select
          label={t.every}
          block
          value={data.periodicallyEvery}
          options={PERIODICALLY_EVERY.map((value) => ({ value, label: periodLabel(value) }))}
          error={getFieldError('periodicallyEvery')}
          onChange={(periodicallyEvery) => edit({ periodicallyEvery })}
        />
      )}
      {data.type === 'Continuously' && <p className="m-0 text-ink-2">{t.continuouslyHint}</p>}
      {data.type === 'Chained' && (
        <Select
          label={t.chainedAfter}
          required
          block
          placeholder={t.chooseJob}
          value={data.chainedAfter ?? ''}
          options={jobs.map(({ id, name }) => ({ value: id, label: name }))}
          error={getFieldError('chainedAfter')}
          onChange={(chainedAfter) => edit({ chainedAfter })}
        />
      )}
      <Switch
        label={t.retry}
        on={data.retryEnabled}
        onChange={(retryEnabled) => edit({ retryEnabled })}
      />
      {data.retryEnabled && (
        <div className="grid items-start gap-4 tablet:grid-cols-2">
          <TextField
            label={t.retryTimes}
            inputMode="numeric"
            value={data.retryNumber}
            error={getFieldError('retryNumber')}
            onChange={({ target }) => edit({ retryNumber: target.value })}
          />
          <TextField
            label={t.retryWait}
            inputMode="numeric"
            value={data.retryWait}
            error={getFieldError('retryWait')}
            onChange={({ target }) => edit({ retryWait: target.value })}
          />
        </div>
      )}
      <Switch
        label={t.window}
        detail={t.windowHint}
        on={data.backupWindowEnabled}
        onChange={(backupWindowEnabled) => edit({ backupWindowEnabled })}
      />
      {data.backupWindowEnabled && (
        <WindowGrid
          value={data.backupWindow}
          error={getFieldError('backupWindow')}
          onChange={(backupWindow) => edit({ backupWindow })}
        />
      )}
      <Switch label={t.runNow} on={data.runNow} onChange={(runNow) => edit({ runNow })} />
      <NextRuns data={data} />
    </>
  );
}

/** The next five starts of the schedule, calculated on this device. */
function NextRuns({ data }: { readonly data: JobData }) {
  const zone = useZone();
  const at = useNow(60_000);
  const schedule = getSchedule(data);
  const isTimed =
    (schedule.type === 'Periodically' || 'dailyTime' in schedule || 'monthlyTime' in schedule) &&
    /^\d{2}:\d{2}$/.test(data.time);
  const runs = isTimed
    ? nextRuns(
        { schedule, backupWindow: data.backupWindowEnabled ? data.backupWindow : null },
        at,
        zone,
        5,
      )
    : [];
  return (
    <section aria-label={t.nextRuns}>
      <h3 className="m-0 border-b border-head-rule pb-1 text-[length:inherit]">{t.nextRuns}</h3>
      {runs.length === 0 ? (
        <p className="m-0 py-2 text-ink-2">
          {data.type === 'Continuously'
            ? t.nextRunsContinuous
            : data.type === 'Chained'
              ? t.nextRunsChained
              : t.nextRunsManual}
        </p>
      ) : (
        <>
          <ol className="m-0 list-none p-0">
            {runs.map((run) => (
              <li key={run} className="border-b border-hair py-1.5">
                {formatWhen(run, zone)}
              </li>
            ))}
          </ol>
          <p className="m-0 pt-1 text-agate text-ink-3">{t.nextRunsZone({ zone })}</p>
        </>
      )}
    </section>
  );
}

const typeLabel = (type: JobData['type']): string =>
  ({
    Daily: t.daily,
    Monthly: t.monthly,
    Periodically: t.periodically,
    Continuously: t.continuously,
    Chained: t.chained,
    Disabled: t.manual,
  })[type];

const ANY = 'any';
