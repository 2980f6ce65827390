import { formatList } from '#contract/i18n/list.ts';
import { useParams, useRouter } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { useCallback, useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { getIssue, makeWizardMachine } from '#machines/wizard.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { getTitle } from '#src/app/shell/branding/apply-branding.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { Button } from '#src/ui/button.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useWizard } from '../../../shared/wizard/use-wizard.ts';
import { useWizardQuery } from '../../../shared/wizard/use-wizard-query.ts';
import { WizardPage } from '../../../shared/wizard/wizard-page.tsx';
import { WizardSteps } from '../../../shared/wizard/wizard-steps.tsx';
import { checkCode, requestCode } from '../device-code/calls.ts';
import { DeviceCodeStep } from '#src/features/shared/device-code/device-code-step.tsx';
import {
  firstRunPrefill,
  newOrganization,
  ORGANIZATION_WIZARD,
  organizationData,
  organizationFields,
  withSupported,
} from './definition.ts';
import type { OrganizationData, Supported } from './definition.ts';
import {
  AccountStep,
  ApplicationStep,
  ExistingApplicationStep,
  GeneralStep,
  LegacyApplicationStep,
  LegacyTenantStep,
  NewApplicationStep,
  RepositoryStep,
} from './steps.tsx';
import type { StepProps } from './steps.tsx';
import { Access, isLacking } from '../access.tsx';
import { authLabel, serviceLabels } from '../labels.ts';
import { organizationWizardMessages as t } from './messages.en.ts';
import { wizardIssues } from './wizard-issues.ts';

const MACHINE = makeWizardMachine(ORGANIZATION_WIZARD);
const PATH = '/o365/organizations/new';
const LIST = '/o365/organizations';

/**
 * `/o365/organizations/new/…`: connects a Microsoft 365 tenant. `?edit=` changes an existing
 * organization, `?start` is the first run: filled in up to the sign-in.
 */
export function OrganizationWizard() {
  const params = new URLSearchParams(useWizardQuery(PATH));
  const edit = params.get('edit');
  return <OrganizationPage key={edit} id={edit} isFirstRun={params.has('start')} />;
}

function OrganizationPage({
  id,
  isFirstRun,
}: {
  readonly id: string | null;
  readonly isFirstRun: boolean;
}) {
  const [unfinished, setUnfinished] = useState<Unfinished | null>(null);
  if (unfinished !== null) return <UnfinishedPage {...unfinished} />;
  return id === null ? (
    <NewOrganization isFirstRun={isFirstRun} onUnfinished={setUnfinished} />
  ) : (
    <EditOrganization id={id} onUnfinished={setUnfinished} />
  );
}

function EditOrganization({
  id,
  onUnfinished,
}: {
  readonly id: string;
  readonly onUnfinished: (unfinished: Unfinished) => void;
}) {
  const { value, failure } = useCachedQuery('getOrganization', { organizationId: id });
  const { value: supported } = useCachedQuery('getSuiteVersion', {});
  if (value === null && failure !== null)
    return (
      <WizardPage title={t.editTitle} closeTo={null}>
        <Notice icon="cloud" level={2} title={t.editTitle}>
          <p className="m-0">{failure.kind === 'not-found' ? t.notFound : failure.message}</p>
        </Notice>
      </WizardPage>
    );
  return (
    <WizardPage title={t.editTitle} closeTo={LIST}>
      {value !== null && (
        <Wizard
          loaded={organizationData(value)}
          draft={`organization/${id}`}
          supported={supported}
          onUnfinished={onUnfinished}
        />
      )}
    </WizardPage>
  );
}

function NewOrganization({
  isFirstRun,
  onUnfinished,
}: {
  readonly isFirstRun: boolean;
  readonly onUnfinished: (unfinished: Unfinished) => void;
}) {
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  // With those of the first sync, the field of the company would become another one while it is used.
  const isKnown = companies !== undefined && (companies.length > 0 || status?.syncedAt != null);
  const branding = useBranding();
  const request = useCachedQuery('getSuiteVersion', {});
  const supported = request.value;
  const first = companies?.[0];
  const getPrefill = ({ n, name }: CompanyRow): Partial<OrganizationData> => {
    const prefill = firstRunPrefill(n, { portal: getTitle(branding), company: name });
    return supported === null ? prefill : withSupported(prefill, supported);
  };
  return (
    <WizardPage title={t.newTitle} closeTo={LIST}>
      {isKnown && (supported !== null || request.failure !== null) && (
        <Wizard
          loaded={null}
          draft="organization/new"
          supported={supported}
          onUnfinished={onUnfinished}
          {...(isFirstRun && first && { prefill: getPrefill(first) })}
        />
      )}
    </WizardPage>
  );
}

function Wizard({
  loaded,
  draft,
  supported,
  onUnfinished,
  prefill,
}: {
  readonly loaded: OrganizationData | null;
  readonly draft: string;
  readonly supported: Supported | null;
  readonly onUnfinished: (unfinished: Unfinished) => void;
  readonly prefill?: Partial<OrganizationData>;
}) {
  const { history } = useRouter();
  const { _splat: splat = '' } = useParams({ strict: false });
  const search = useWizardQuery(PATH);
  const companies = useWatch('companies', EMPTY) ?? [];
  const getAddress = useCallback((step: string) => `${PATH}/${step}${search}`, [search]);
  // What a new organization begins with, as it was known when the wizard opened.
  const [machine] = useState(() =>
    loaded !== null || supported === null
      ? MACHINE
      : makeWizardMachine({
          ...ORGANIZATION_WIZARD,
          empty: withSupported(ORGANIZATION_WIZARD.empty, supported),
        }),
  );
  const saved = useRef<Saved | null>(null);
  const actor = useWizard<OrganizationData>({
    machine,
    draft,
    step: splat === '' ? null : splat,
    ...(prefill && { prefill }),
    loaded,
    save: async (data) => {
      const answer = await saveOrganization(data);
      if (answer.ok) saved.current = answer.value;
      return answer;
    },
    onDone: () => {
      showSuccess(loaded === null ? t.created : t.saved);
      if (saved.current !== null && isLacking(saved.current))
        onUnfinished({ name: data.name.trim(), saved: saved.current });
      else history.push(LIST);
    },
    getPath: getAddress,
  });
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const { data, step } = context;
  const props: StepProps = {
    data,
    edit: (changes) => actor.send({ type: 'EDIT', changes }),
    getError: (field) => getIssue(context, field),
  };
  return (
    <WizardSteps
      actor={actor}
      definition={ORGANIZATION_WIZARD}
      detail={companies.find(({ n }) => n === data.companyN)?.name ?? ''}
      getLabel={getLabel}
      saveLabel={loaded === null ? t.createOrganization : t.saveOrganization}
      mayContinue={step !== '5/modern' || data.deviceCode !== null}
    >
      <StepFields step={step} props={props} companies={companies} supported={supported} />
    </WizardSteps>
  );
}

interface Unfinished {
  readonly name: string;
  readonly saved: Saved;
}

/** What an administrator of the tenant still has to set up. */
function UnfinishedPage({ name, saved }: Unfinished) {
  const { history } = useRouter();
  return (
    <Page title={t.unfinished} detail={name}>
      <div className="min-h-full bg-sheet">
        <div className="mx-auto grid max-w-[760px] gap-4 px-4 py-6 tablet:px-8">
          <p className="m-0 text-ink-2">{t.unfinishedHint}</p>
          <Access id={saved.id} name={name} lacking={saved} />
          <span>
            <Button variant="primary" onClick={() => history.push(LIST)}>
              {t.openOrganizations}
            </Button>
          </span>
        </div>
      </div>
    </Page>
  );
}

function StepFields({
  step,
  props,
  companies,
  supported,
}: {
  readonly step: string;
  readonly props: StepProps;
  readonly companies: readonly CompanyRow[];
  readonly supported: Supported | null;
}) {
  const { data, edit } = props;
  switch (step) {
    case '1':
      return <GeneralStep step={props} companies={companies} supported={supported} />;
    case '3/modern':
      return <ApplicationStep {...props} />;
    case '3/legacy':
      return <LegacyApplicationStep step={props} />;
    case '3/basic':
      return <AccountStep step={props} service="exchange" />;
    case '4/basic':
      return <AccountStep step={props} service="sharePoint" />;
    case '4/legacy':
      return <LegacyTenantStep step={props} />;
    case '4a/modern':
      return <NewApplicationStep step={props} />;
    case '4b/modern':
      return <ExistingApplicationStep step={props} />;
    case '5/modern':
      return (
        <DeviceCodeStep
          granted={data.deviceCode !== null}
          lead={t.signInLead}
          permissions={getPermissions(data)}
          permissionsNote={t.permissionsLater}
          grantedText={isUnchanged(data) ? t.grantedUnchanged : t.granted}
          request={() =>
            requestCode('requestDeviceCode', {
              targetRegion: data.region,
              companyObjId: data.companyN ?? 0,
            })
          }
          check={checkCode}
          onGranted={(deviceCode) => edit({ deviceCode })}
        />
      );
    case 'repo':
      return <RepositoryStep step={props} />;
    default:
      return null;
  }
}

/** The saved organization, and what its application lacks. */
type Saved = OutputOf<'updateOrganization'> & { readonly id: string };

async function saveOrganization(data: OrganizationData): Promise<Result<Saved>> {
  const { id } = data;
  const saved = await withReauth<Saved>(async () => {
    if (id === null) return client().ask('createOrganization', newOrganization(data));
    const answer = await client().ask('updateOrganization', {
      organizationId: id,
      ...organizationFields(data),
    });
    return answer.ok ? ok({ ...answer.value, id }) : answer;
  });
  if (saved.ok || saved.failure.kind !== 'bad-input') return saved;
  return failed({ ...saved.failure, issues: wizardIssues(saved.failure.issues) });
}

/** Whether the portal changes nothing in the tenant. */
const isUnchanged = ({ application, configureApplication }: OrganizationData): boolean =>
  application === 'existing' && !configureApplication;

const getPermissions = (data: OrganizationData): readonly string[] => [
  t.permissionDirectory,
  ...(data.isExchangeOnline ? [t.permissionMail] : []),
  ...(data.isSharePointOnline || data.isTeamsOnline ? [t.permissionFiles] : []),
  ...(data.isTeamsOnline ? [t.permissionTeams] : []),
  isUnchanged(data) ? t.permissionReadOnly : t.permissionApplication,
];

/** The title of a step, and what was entered there. */
function getLabel(
  step: string,
  data: OrganizationData,
): { readonly title: string; readonly below: string } {
  switch (step) {
    case '1':
      return {
        title: t.stepGeneral,
        below:
          data.name === ''
            ? authLabel('modern')
            : `${data.name}: ${formatList(serviceLabels(data), 'plain')}`,
      };
    case '3/modern':
      return {
        title: t.stepApplication,
        below: { new: t.applicationNew, existing: t.applicationExisting, keep: t.applicationKeep }[
          data.application
        ],
      };
    case '3/legacy':
      return { title: t.stepLegacyApplication, below: data.applicationId };
    case '3/basic':
      return { title: t.stepExchange, below: data.exchangeAccount };
    case '4/basic':
      return { title: t.stepSharePoint, below: data.sharePointAccount };
    case '4/legacy':
      return { title: t.stepLegacyTenant, below: data.officeOrganizationName };
    case '4a/modern':
      return { title: t.stepNewApplication, below: data.newApplicationName };
    case '4b/modern':
      return { title: t.stepExistingApplication, below: data.applicationId };
    case '5/modern':
      return { title: t.stepSignIn, below: '' };
    default:
      return { title: t.stepRepository, below: data.hasRepository ? data.repository : '' };
  }
}

const EMPTY = {};
