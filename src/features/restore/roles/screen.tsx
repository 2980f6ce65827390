import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { ListCell, SuiteList } from '../../shared/suite-list/suite-list.tsx';
import { ROLES_PATH } from './address.ts';
import { RoleDetails } from './details.tsx';
import { operatorsLabel, rightsLabel, selectionLabel } from './labels.ts';
import { restoreRoleMessages as t } from './messages.en.ts';

/** `/o365/restore-operator-roles`: which end users restore for others. */
export function RestoreRoles() {
  const [round, setRound] = useState(0);
  const { value, failure, again } = useCachedQuery('listAllRestoreRoles', ALL, { round });
  if (value === null && failure !== null)
    return (
      <Page title={t.title}>
        <RetryCallout failure={failure} onRetry={again}>
          {getFailureText(failure)}
        </RetryCallout>
      </Page>
    );
  return (
    <SuiteList
      path={ROLES_PATH}
      title={t.title}
      searchLabel={t.search}
      rows={value?.rows ?? null}
      getSearchWords={(row) => [row.organizationName, row.description, ...row.operatorNames]}
      getDescription={({ organizationName }) => organizationName}
      heads={[
        { label: t.role, className: 'pl-5' },
        { label: t.operators, className: 'w-[26%]' },
        { label: t.scope, className: 'w-[22%]' },
        { label: t.rights, className: 'w-[24%] pr-5 max-desk:hidden' },
      ]}
      renderCells={(row) => (
        <>
          <ListCell label={t.operators} className="tablet:truncate" tip={operatorsLabel(row)}>
            {operatorsLabel(row)}
          </ListCell>
          <ListCell label={t.scope} className="tablet:truncate" tip={selectionLabel(row)}>
            {t.people({ count: row.people })}
            <span className="text-ink-3"> {selectionLabel(row)}</span>
          </ListCell>
          <ListCell className="max-desk:hidden tablet:truncate tablet:pr-5" tip={rightsLabel(row)}>
            {rightsLabel(row)}
          </ListCell>
        </>
      )}
      action={<NewButton />}
      empty={{ icon: 'users', title: t.none, hint: t.noneHint, action: <NewButton /> }}
      getPanelDetail={({ organizationName }) => organizationName}
      renderPanel={(row, close) => (
        <RoleDetails
          key={row.id}
          row={row}
          onDeleted={() => {
            close();
            setRound(round + 1);
          }}
        />
      )}
    />
  );
}

/** Opens the wizard where its draft was left. */
function NewButton() {
  const { history } = useRouter();
  return (
    <CallButton
      call="createRestoreRole"
      variant="primary"
      icon="plus"
      onClick={() => history.push(`${ROLES_PATH}/new`)}
    >
      {t.newRole}
    </CallButton>
  );
}

const ALL = { limit: '1000' };
