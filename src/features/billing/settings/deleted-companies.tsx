import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { billingSettingsMessages as t } from './messages.en.ts';

/** Companies that can still be restored (BILL-13). */
export function DeletedCompanies({ offline }: { readonly offline: boolean }) {
  const zone = useZone();
  const { value, failure, again } = useCachedQuery('listDeletedCompanies', EMPTY);
  const mutation = useServerMutation();
  const restore = async (companyId: string, name: string): Promise<void> => {
    const answer = await mutation.send(
      () => withReauth(() => client().ask('restoreDeletedCompany', { companyId })),
      companyId,
    );
    if (!answer.ok) return;
    showSuccess(t.restored({ company: name }));
    again();
  };
  const why = mutation.failure ?? (offline ? null : failure);
  return (
    <FormSection wide title={t.deletedCompanies} description={t.deletedHint}>
      {why !== null && (
        <Callout tone="failed" alert>
          {getFailureText(why)}
        </Callout>
      )}
      {value?.rows.length === 0 && <p className="m-0 text-ink-2">{t.noneDeleted}</p>}
      {value !== null && value.rows.length > 0 && (
        <ul className="m-0 list-none border-t border-rule p-0">
          {value.rows.map(({ _id, name, deletedAt, restorableUntil }) => (
            <li
              key={_id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-3 border-b border-hair py-2"
            >
              <span className="min-w-0">
                <span className="block break-words font-semibold">{name}</span>
                <span className="block text-agate text-ink-3">
                  {t.deletedOn({
                    when: formatWhen(deletedAt, zone),
                    until: formatWhen(restorableUntil, zone),
                  })}
                </span>
              </span>
              <CallButton
                call="restoreDeletedCompany"
                size="sm"
                aria-label={t.restoreOf({ company: name })}
                busy={mutation.pending === _id}
                disabled={offline}
                onClick={() => void restore(_id, name)}
              >
                {t.restore}
              </CallButton>
            </li>
          ))}
        </ul>
      )}
    </FormSection>
  );
}

const EMPTY = {};
