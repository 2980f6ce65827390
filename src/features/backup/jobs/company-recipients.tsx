import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PEOPLE } from '#contract/messages/people.messages.en.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import type { PickedPerson } from '../../shared/forms/person-picker.tsx';
import { backupJobMessages as t } from './messages.en.ts';

export interface CompanyRecipientsProps {
  readonly company: CompanyN;
  /** Users that are already selected. */
  readonly users: readonly PickedPerson[];
  readonly offline: boolean;
  readonly onAdd: (users: readonly PickedPerson[]) => void;
}

/** Adds the users that are to be notified about the company of a job, as its page lists them. */
export function CompanyRecipients({ company, users, offline, onAdd }: CompanyRecipientsProps) {
  const found = (useWatch('companies', EMPTY) ?? []).find(({ n }) => n === company);
  const mutation = useServerMutation();
  if (found === undefined) return null;
  const { id, name } = found;
  const add = async (): Promise<void> => {
    const answer = await mutation.send(() => client().ask('listUsersToNotify', { veeamId: id }));
    if (!answer.ok) return;
    const known = new Set(users.map(({ _id: user }) => user));
    const added = answer.value.users.filter(({ _id: user }) => !known.has(user));
    onAdd(
      added.map(({ _id: user, name: full, username }) => ({ _id: user, name: full, username })),
    );
    showSuccess(
      answer.value.users.length === 0
        ? t.noCompanyRecipients({ company: name })
        : t.recipientsAdded({ count: added.length }),
    );
  };
  const { failure } = mutation;
  return (
    <div className="grid justify-items-start gap-1.5">
      <Button
        size="sm"
        icon="users"
        busy={mutation.busy}
        {...(offline && { 'disabled': true, 'data-tip': MESSAGES.needsNetwork })}
        onClick={() => void add()}
      >
        {t.addCompanyRecipients({ company: name })}
      </Button>
      {failure !== null && (
        <p role="alert" className="m-0 text-agate text-failed">
          {failure.kind === 'server-error' ? PEOPLE.getUsersToNotify : getFailureText(failure)}
        </p>
      )}
    </div>
  );
}

const EMPTY = {};
