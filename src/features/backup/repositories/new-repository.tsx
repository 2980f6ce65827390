import { useState } from 'react';
import { isBackedUpHere } from '#contract/backup/organizations.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { newRepositoryForm, newRepositorySchema } from './form.ts';
import { Fields, type NamedRow, OrganizationField } from './repository-form.tsx';
import { NewServerRepositoryForm } from './server-repository.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** The form of a new repository. On the server of an organization, a repository has other fields. */
export function NewRepository({
  organizations,
  onDone,
}: {
  readonly organizations: readonly NamedRow[];
  readonly onDone: (id: string) => void;
}) {
  const initial = newRepositoryForm(organizations);
  const [chosen, setChosen] = useState(initial.organizationId);
  const organization = organizations.find(({ id }) => id === chosen);
  if (organization && !isBackedUpHere(organization))
    return (
      <NewServerRepositoryForm key={chosen} organizationId={chosen} onDone={onDone}>
        <OrganizationField
          organizations={organizations}
          value={chosen}
          error={null}
          onChange={setChosen}
        />
      </NewServerRepositoryForm>
    );
  return (
    <Fields
      row={null}
      organizations={organizations}
      onOrganization={setChosen}
      initial={{ ...initial, organizationId: chosen }}
      schema={newRepositorySchema}
      submit={(input) => withReauth(() => client().ask('createBackupRepository', input))}
      onDone={({ id }) => {
        showSuccess(t.created);
        onDone(id);
      }}
    />
  );
}
