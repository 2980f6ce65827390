import { useParams, useRouter } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { useCallback } from 'react';
import type { ReactNode } from 'react';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Result } from '#contract/result.ts';
import { getIssue, makeWizardMachine } from '#machines/wizard.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { getOnlyOrganization } from '../../../shared/organizations/options.ts';
import { useKnownOrganizations } from '../../../shared/organizations/use-known-organizations.ts';
import { useWizard } from '../../../shared/wizard/use-wizard.ts';
import { useWizardQuery } from '../../../shared/wizard/use-wizard-query.ts';
import { WizardPage } from '../../../shared/wizard/wizard-page.tsx';
import { ROLES_PATH } from '../address.ts';
import { ROLE_WIZARD, roleData, roleFields } from './definition.ts';
import type { RoleData } from './definition.ts';
import { roleWizardMessages as t } from './messages.en.ts';
import { ExcludeStep, NameStep, OperatorsStep, OrganizationStep, ScopeStep } from './steps.tsx';
import type { RoleStepProps } from './steps.tsx';

const MACHINE = makeWizardMachine(ROLE_WIZARD);

/**
 * `/o365/restore-operator-roles/1` to `/5`: who restores for whom. `?edit=` with `?organization=`
 * changes an existing role.
 */
export function RestoreRoleWizard(): ReactNode {
  const params = new URLSearchParams(useWizardQuery(`${ROLES_PATH}/`));
  const edit = params.get('edit');
  const organizations = useKnownOrganizations();
  if (organizations === null) return <Waiting />;
  // A wizard begins when there is an organization, which may be chosen already.
  if (organizations.length === 0) return <NoOrganizations />;
  if (edit !== null)
    return (
      <EditRole
        id={edit}
        organizationId={params.get('organization') ?? ''}
        organizations={organizations}
      />
    );
  const only = getOnlyOrganization(organizations);
  return (
    <Wizard
      loaded={null}
      draft="restore-role/new"
      organizations={organizations}
      {...(only !== null && { prefill: { organizationId: only } })}
    />
  );
}

const Waiting = () => (
  <Page title={t.newTitle}>
    <DelayedFallback>
      <PageLoading />
    </DelayedFallback>
  </Page>
);

const NoOrganizations = () => (
  <Page title={t.newTitle}>
    <Notice icon="cloud" level={2} title={t.noOrganizations}>
      <p className="m-0">{t.noOrganizationsHint}</p>
    </Notice>
  </Page>
);

function EditRole({
  id,
  organizationId,
  organizations,
}: {
  readonly id: string;
  readonly organizationId: string;
  readonly organizations: readonly OrganizationRow[];
}) {
  const { value, failure } = useCachedQuery('getRestoreRole', { opRoleId: id, organizationId });
  if (value !== null)
    return (
      <Wizard
        key={id}
        loaded={roleData(value)}
        draft={`restore-role/${id}`}
        organizations={organizations}
      />
    );
  if (failure === null) return <Waiting />;
  return (
    <Page title={t.editTitle}>
      <Notice icon="users" level={2} title={t.editTitle}>
        <p className="m-0">{failure.kind === 'not-found' ? t.notFound : failure.message}</p>
      </Notice>
    </Page>
  );
}

function Wizard({
  loaded,
  draft,
  organizations,
  prefill,
}: {
  readonly loaded: RoleData | null;
  readonly draft: string;
  readonly organizations: readonly OrganizationRow[];
  readonly prefill?: Partial<RoleData>;
}) {
  const { history } = useRouter();
  const { step: address } = useParams({ strict: false });
  const search = useWizardQuery(`${ROLES_PATH}/`);
  const getAddress = useCallback((step: string) => `${ROLES_PATH}/${step}${search}`, [search]);
  const actor = useWizard<RoleData>({
    machine: MACHINE,
    draft,
    step: address === undefined || address === 'new' ? null : address,
    ...(prefill && { prefill }),
    loaded,
    save: saveRole,
    onDone: () => {
      showSuccess(loaded === null ? t.created : t.saved);
      history.push(ROLES_PATH);
    },
    getPath: getAddress,
  });
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const { data, step } = context;
  const props: RoleStepProps = {
    data,
    edit: (changes) => actor.send({ type: 'EDIT', changes }),
    getError: (field) => getIssue(context, field),
  };
  const organization = organizations.find(({ id }) => id === data.organizationId)?.name ?? '';
  return (
    <WizardPage
      actor={actor}
      definition={ROLE_WIZARD}
      title={loaded === null ? t.newTitle : t.editTitle}
      detail={organization}
      getLabel={(id, entered) => getLabel(id, entered, organization)}
      saveLabel={loaded === null ? t.createRole : t.saveRole}
      closeTo={ROLES_PATH}
    >
      {step === '1' && <NameStep {...props} />}
      {step === '2' && <OrganizationStep step={props} organizations={organizations} />}
      {step === '3' && <OperatorsStep {...props} />}
      {step === '4' && <ScopeStep {...props} />}
      {step === '5' && <ExcludeStep {...props} />}
    </WizardPage>
  );
}

function saveRole(data: RoleData): Promise<Result<unknown>> {
  const fields = { ...roleFields(data), organizationId: data.organizationId ?? '' };
  return data.id === null
    ? client().ask('createRestoreRole', fields)
    : client().ask('updateRestoreRole', { ...fields, opRoleId: data.id });
}

/** The title of a step, and what was entered there. */
function getLabel(
  step: string,
  data: RoleData,
  organization: string,
): { readonly title: string; readonly below: string } {
  switch (step) {
    case '1':
      return { title: t.stepName, below: data.name };
    case '2':
      return { title: t.stepOrganization, below: organization };
    case '3':
      return { title: t.stepOperators, below: t.count({ count: data.operators.length }) };
    case '4':
      return {
        title: t.stepScope,
        below:
          data.roleType === 'EntireOrganization'
            ? t.entireOrganization
            : t.count({ count: data.selectedItems.length }),
      };
    default:
      return { title: t.stepExclude, below: t.count({ count: data.excludedItems.length }) };
  }
}
