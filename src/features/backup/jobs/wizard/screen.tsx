import { useParams, useRouter } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { useCallback, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { BackupProxyRow, BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { getIssue, makeWizardMachine } from '#machines/wizard.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { getOnlyOrganization } from '../../../shared/organizations/options.ts';
import { useKnownOrganizations } from '../../../shared/organizations/use-known-organizations.ts';
import { useWizard } from '../../../shared/wizard/use-wizard.ts';
import { useWizardQuery } from '../../../shared/wizard/use-wizard-query.ts';
import { WizardPage } from '../../../shared/wizard/wizard-page.tsx';
import { WizardSteps } from '../../../shared/wizard/wizard-steps.tsx';
import { scheduleLabel } from '../labels.ts';
import { getSchedule, JOB_WIZARD, jobData, jobFields, jobIssues, ON_SERVER } from './definition.ts';
import type { JobData } from './definition.ts';
import { ExcludeStep, NameStep, PlaceStep, ScheduleStep, SelectStep } from './steps.tsx';
import type { JobStepProps } from './steps.tsx';
import { jobWizardMessages as t } from './messages.en.ts';

const MACHINE = makeWizardMachine(JOB_WIZARD);
const PATH = '/o365/jobs';

/**
 * `/o365/jobs/1` to `/o365/jobs/5`: a backup job. `?edit=` changes an existing one,
 * `?organization=` chooses the organization of a new one; the only one is chosen already.
 */
export function JobWizard(): ReactNode {
  const params = new URLSearchParams(useWizardQuery(`${PATH}/`));
  const edit = params.get('edit');
  return <JobPage key={edit} id={edit} organizationId={params.get('organization')} />;
}

/** What the device stores of the cloud suite. */
interface Known {
  readonly organizations: readonly OrganizationRow[];
  readonly jobs: readonly BackupJobRow[];
  readonly repositories: readonly BackupRepositoryRow[];
  readonly proxies: readonly BackupProxyRow[];
}

/** Null until all of it has loaded. */
function useKnown(): Known | null {
  const organizations = useKnownOrganizations();
  const jobs = useWatch('backupJobs', EMPTY) ?? null;
  const repositories = useWatch('backupRepositories', EMPTY) ?? null;
  const proxies = useWatch('backupProxies', EMPTY) ?? null;
  return organizations === null || jobs === null || repositories === null || proxies === null
    ? null
    : { organizations, jobs, repositories, proxies };
}

function JobPage({
  id,
  organizationId,
}: {
  readonly id: string | null;
  readonly organizationId: string | null;
}) {
  const known = useKnown();
  const { value, failure } = useCachedQuery(
    'getBackupJob',
    { jobId: id ?? '' },
    { wanted: id !== null },
  );
  // What is edited is the job as it was opened, also if it is requested again after a lost connection.
  const [opened, setOpened] = useState(value);
  if (opened === null && value !== null) setOpened(value);
  const title = id === null ? t.newTitle : t.editTitle;
  // A wizard begins when there is an organization, which may be chosen already.
  if (known?.organizations.length === 0)
    return (
      <WizardPage title={title} closeTo={null}>
        <Notice icon="cloud" level={2} title={t.noOrganizations}>
          <p className="m-0">{t.noOrganizationsHint}</p>
        </Notice>
      </WizardPage>
    );
  if (opened === null && failure !== null)
    return (
      <WizardPage title={title} closeTo={null}>
        <Notice icon="scheduled" level={2} title={title}>
          <p className="m-0">{failure.kind === 'not-found' ? t.notFound : failure.message}</p>
        </Notice>
      </WizardPage>
    );
  return (
    <WizardPage title={title} closeTo={PATH}>
      {known !== null && (id === null || opened !== null) && (
        <Wizard
          {...(opened === null ? startNew(organizationId, known) : startEdit(opened, known))}
          known={known}
        />
      )}
    </WizardPage>
  );
}

interface Start {
  readonly loaded: JobData | null;
  readonly draft: string;
  readonly prefill?: Partial<JobData>;
}

function startNew(organizationId: string | null, { organizations }: Known): Start {
  const only = getOnlyOrganization(organizations, () => true);
  const chosen = organizations.some((row) => row.id === organizationId) ? organizationId : only;
  return {
    loaded: null,
    draft: 'backup-job/new',
    ...(chosen !== null && { prefill: { organizationId: chosen } }),
  };
}

const startEdit = (job: OutputOf<'getBackupJob'>, known: Known): Start => ({
  loaded: {
    ...jobData(job),
    // As the page would set them, so that opening a job changes nothing and leaves no draft.
    hasOnePlace: onlyRepository(job.organizationId, known) !== null,
    otherJobs: getChains(job.id, known),
  },
  // A job that has changed since starts a new draft.
  draft: `backup-job/${job.id}/${job.version}`,
});

function Wizard({ loaded, draft, known, prefill }: Start & { readonly known: Known }) {
  const { organizations, jobs, repositories, proxies } = known;
  const { history } = useRouter();
  const { step: address } = useParams({ strict: false });
  const search = useWizardQuery(`${PATH}/`);
  const getAddress = useCallback((step: string) => `${PATH}/${step}${search}`, [search]);
  const actor = useWizard<JobData>({
    machine: MACHINE,
    draft,
    step: address === undefined || address === 'new' ? null : address,
    ...(prefill && { prefill }),
    loaded,
    save: (entered) => saveJob(entered, isOnServer(entered.organizationId, known)),
    onDone: () => {
      showSuccess(loaded === null ? t.created : t.saved);
      history.push(PATH);
    },
    getPath: getAddress,
  });
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const isFilling = useSelector(actor, (snapshot) => snapshot.matches('filling'));
  const { data, step } = context;
  const otherJobs = jobs.filter(({ id }) => id !== data.id);

  const only = onlyRepository(data.organizationId, known);
  const chains = JSON.stringify(getChains(data.id, known));
  useEffect(() => {
    if (!isFilling || data.organizationId === null) return;
    const hasOnePlace = only !== null;
    if (data.hasOnePlace === hasOnePlace && (!hasOnePlace || data.repositoryId === only)) return;
    actor.send({
      type: 'EDIT',
      changes: { hasOnePlace, ...(hasOnePlace && { repositoryId: only }) },
    });
  }, [actor, isFilling, only, data.organizationId, data.hasOnePlace, data.repositoryId]);
  useEffect(() => {
    if (!isFilling || step !== '5') return;
    if (chains !== JSON.stringify(actor.getSnapshot().context.data.otherJobs))
      actor.send({
        type: 'EDIT',
        changes: { otherJobs: JSON.parse(chains) as JobData['otherJobs'] },
      });
  }, [actor, isFilling, step, chains]);

  const props: JobStepProps = {
    data,
    isOnServer: isOnServer(data.organizationId, known),
    edit: (changes) => actor.send({ type: 'EDIT', changes }),
    getError: (field) => getIssue(context, field),
  };
  return (
    <WizardSteps
      actor={actor}
      definition={JOB_WIZARD}
      detail={organizations.find(({ id }) => id === data.organizationId)?.name ?? ''}
      getLabel={(id, entered) => getLabel(id, entered, known)}
      saveLabel={loaded === null ? t.createJob : t.saveJob}
    >
      {step === '1' && <NameStep step={props} organizations={organizations} />}
      {step === '2' && <SelectStep {...props} />}
      {step === '3' && <ExcludeStep {...props} />}
      {step === '4' && <PlaceStep step={props} repositories={repositories} proxies={proxies} />}
      {step === '5' && (
        <ScheduleStep
          step={props}
          jobs={otherJobs.filter(({ organization }) => organization === data.organizationId)}
        />
      )}
    </WizardSteps>
  );
}

/**
 * Returns the repository that nobody has to choose: with one proxy and one repository, the
 * specification leaves out step 4. Users of a customer don't see the provider's proxies.
 */
function onlyRepository(organizationId: string | null, known: Known): string | null {
  const { repositories, proxies } = known;
  const own = repositories.filter(({ organization }) => organization === organizationId);
  const hasOneProxy = proxies.length < 2 || isOnServer(organizationId, known);
  return own.length === 1 && hasOneProxy ? (own[0]?.id ?? null) : null;
}

const isOnServer = (organizationId: string | null, { organizations }: Known): boolean =>
  organizations.some((row) => row.id === organizationId && !isBackedUpHere(row));

/** Returns the other jobs, as far as chains need them. */
const getChains = (id: string | null, { jobs }: Known): JobData['otherJobs'] =>
  jobs
    .filter((job) => job.id !== id)
    .map((job) => ({
      id: job.id,
      schedulePolicy: { schedule: job.schedulePolicy.schedule },
    }));

async function saveJob(entered: JobData, onServer: boolean): Promise<Result<unknown>> {
  const placed = await addRepository(entered);
  if (!placed.ok) return placed;
  const data = placed.value;
  const fields = jobFields(data, onServer);
  const saved: Result<unknown> =
    data.id === null
      ? await client().ask('createBackupJob', {
          ...fields,
          organizationId: data.organizationId ?? '',
        })
      : await client().ask('updateBackupJob', {
          jobId: data.id,
          ...fields,
          ...(data.version !== null && { version: data.version }),
        });
  if (saved.ok || saved.failure.kind !== 'bad-input') return saved;
  return failed({ ...saved.failure, issues: jobIssues(saved.failure.issues) });
}

/** A repository that only the server has becomes one of the organization first. */
async function addRepository(data: JobData): Promise<Result<JobData>> {
  const { repositoryId, organizationId } = data;
  if (repositoryId?.startsWith(ON_SERVER) !== true) return ok(data);
  const added = await client().ask('addServerRepository', {
    organizationId: organizationId ?? '',
    key: repositoryId.slice(ON_SERVER.length),
  });
  return added.ok ? ok({ ...data, repositoryId: added.value.id }) : added;
}

/** The title of a step, and what was entered there. */
function getLabel(
  step: string,
  data: JobData,
  { repositories, jobs }: Known,
): { readonly title: string; readonly below: string } {
  switch (step) {
    case '1':
      return { title: t.stepName, below: data.name };
    case '2':
      return {
        title: t.stepSelect,
        below:
          data.backupType === 'EntireOrganization'
            ? t.entireOrganization
            : t.chosenCount({ count: data.selectedItems.length + data.otherSelected.length }),
      };
    case '3':
      return {
        title: t.stepExclude,
        below: t.chosenCount({ count: data.excludedItems.length + data.otherExcluded.length }),
      };
    case '4':
      return {
        title: t.stepPlace,
        below: repositories.find(({ id }) => id === data.repositoryId)?.name ?? '',
      };
    default: {
      const schedule = getSchedule(data);
      return {
        title: t.stepSchedule,
        below: scheduleLabel(
          schedule,
          jobs.find(({ id }) => id === data.chainedAfter)?.name ?? null,
        ),
      };
    }
  }
}

const EMPTY = {};
