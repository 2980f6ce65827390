import { useState } from 'react';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { makeExistingSchema, makeServerSchema, type ServerSettings } from './server-form.ts';
import { EditFields, NewFields } from './server-repository-fields.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** The form of a repository on the Veeam server of an organization: a new one, or one that it has. */
export function NewServerRepositoryForm({
  organizationId,
  children,
  onDone,
}: {
  readonly organizationId: string;
  /** The field of the organization. */
  readonly children: React.ReactNode;
  readonly onDone: (id: string) => void;
}) {
  const { value, failure } = useCachedQuery('getServerStorage', { organizationId });
  const [isExisting, setExisting] = useState(false);
  if (value === null)
    return (
      <div className="grid content-start gap-4 overflow-auto px-4 py-4 tablet:px-5">
        {children}
        {failure === null ? (
          <p className="m-0 text-ink-2">{t.readingServer}</p>
        ) : (
          <Callout tone="warning">{failure.message}</Callout>
        )}
      </div>
    );
  const done = ({ id }: { readonly id: string }): void => {
    showSuccess(isExisting ? t.added : t.created);
    onDone(id);
  };
  const props = { storage: value, organization: children, onExisting: setExisting, onDone: done };
  return isExisting ? (
    <NewFields
      {...props}
      key="existing"
      isExisting
      schema={makeExistingSchema(organizationId)}
      submit={(input) => client().ask('addServerRepository', input)}
    />
  ) : (
    <NewFields
      {...props}
      key="new"
      isExisting={false}
      schema={makeServerSchema(organizationId)}
      submit={(input) => withReauth(() => client().ask('createServerRepository', input))}
    />
  );
}

/** The form of a repository that a Veeam server has, as it is there now. */
export function EditServerRepository({
  row,
  onDone,
  onCancel,
}: {
  readonly row: BackupRepositoryRow;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}) {
  const { value, live, failure } = useCachedQuery('getServerRepository', { id: row.id });
  // What is edited is the repository as it was opened.
  const [opened, setOpened] = useState<ServerSettings | null>(null);
  if (opened === null && value !== null && live) setOpened(value);
  if (opened === null)
    return (
      <div className="px-4 py-4 tablet:px-5">
        {failure === null ? (
          <p className="m-0 text-ink-2">{t.readingServer}</p>
        ) : (
          <Callout tone="warning">{failure.message}</Callout>
        )}
      </div>
    );
  return <EditFields id={row.id} settings={opened} onDone={onDone} onCancel={onCancel} />;
}
