import { useParams, useRouter } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { useCallback } from 'react';
import type { ReactNode } from 'react';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Result } from '#contract/result.ts';
import { getIssue, makeWizardMachine } from '#machines/wizard.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { getOnlyOrganization } from '../../../shared/organizations/options.ts';
import { useKnownOrganizations } from '../../../shared/organizations/use-known-organizations.ts';
import { useWizard } from '../../../shared/wizard/use-wizard.ts';
import { useWizardQuery } from '../../../shared/wizard/use-wizard-query.ts';
import { WizardPage } from '../../../shared/wizard/wizard-page.tsx';
import { WizardSteps } from '../../../shared/wizard/wizard-steps.tsx';
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
  return <RoleWizard key={edit} id={edit} organizationId={params.get('organization') ?? ''} />;
}

function RoleWizard({
  id,
  organizationId,
}: {
  readonly id: string | null;
  readonly organizationId: string;
}) {
  const organizations = useKnownOrganizations();
  const { value, failure } = useCachedQuery(
    'getRestoreRole',
    { opRoleId: id ?? '', organizationId },
    { wanted: id !== null },
  );
  const title = id === null ? t.newTitle : t.editTitle;
  // A wizard begins when there is an organization, which may be chosen already.
  if (organizations?.length === 0)
    return (
      <WizardPage title={title} closeTo={null}>
        <Notice icon="cloud" level={2} title={t.noOrganizations}>
          <p className="m-0">{t.noOrganizationsHint}</p>
        </Notice>
      </WizardPage>
    );
  if (value === null && failure !== null)
    return (
      <WizardPage title={title} closeTo={null}>
        <Notice icon="users" level={2} title={title}>
          <p className="m-0">{failure.kind === 'not-found' ? t.notFound : failure.message}</p>
        </Notice>
      </WizardPage>
    );
  const only = getOnlyOrganization(organizations ?? []);
  return (
    <WizardPage title={title} closeTo={ROLES_PATH}>
      {organizations !== null && (id === null || value !== null) && (
        <Wizard
          loaded={value && roleData(value)}
          draft={`restore-role/${id ?? 'new'}`}
          organizations={organizations}
          {...(id === null && only !== null && { prefill: { organizationId: only } })}
        />
      )}
    </WizardPage>
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
    <WizardSteps
      actor={actor}
      definition={ROLE_WIZARD}
      detail={organization}
      getLabel={(id, entered) => getLabel(id, entered, organization)}
      saveLabel={loaded === null ? t.createRole : t.saveRole}
    >
      {step === '1' && <NameStep {...props} />}
      {step === '2' && <OrganizationStep step={props} organizations={organizations} />}
      {step === '3' && <OperatorsStep {...props} />}
      {step === '4' && <ScopeStep {...props} />}
      {step === '5' && <ExcludeStep {...props} />}
    </WizardSteps>
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
