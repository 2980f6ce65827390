import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import { editAddress } from './address.ts';
import { operatorsLabel, selectionLabel } from './labels.ts';
import type { RoleRow } from './labels.ts';
import { restoreRoleMessages as t } from './messages.en.ts';

/** A role beside the list: who, whose data, and what they may do. */
export function RoleDetails({
  row,
  onDeleted,
}: {
  readonly row: RoleRow;
  readonly onDeleted: () => void;
}) {
  const { history } = useRouter();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [isDeleting, setDeleting] = useState(false);
  const { id, organizationId } = row;
  const { value } = useCachedQuery('getRestoreRole', { opRoleId: id, organizationId });
  return (
    <div className="min-h-0 overflow-auto px-4 pb-6 tablet:px-5">
      <div className="flex flex-wrap gap-2 py-2">
        <CallButton
          call="updateRestoreRole"
          size="sm"
          onClick={() => history.push(editAddress(row))}
        >
          {t.edit}
        </CallButton>
        <CallButton
          call="deleteRestoreRole"
          size="sm"
          icon="trash"
          disabled={offline}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          onClick={() => setDeleting(true)}
        >
          {t.delete}
        </CallButton>
      </div>
      <FactList
        facts={[
          ...(row.description === '' ? [] : [[t.description, row.description] as const]),
          [t.organization, row.organizationName],
          [t.operators, value ? <Names key="o" items={value.operators} /> : operatorsLabel(row)],
          [t.scope, t.people({ count: row.people })],
          [t.selection, selectionLabel({ ...row, excluded: 0 })],
          ...(value === null || row.selected === 0
            ? []
            : [[t.items, <Names key="s" items={value.selectedItems} />] as const]),
          [
            t.exceptions,
            row.excluded === 0 || value === null ? (
              row.excluded === 0 ? (
                t.noExceptions
              ) : (
                t.excludedItems({ count: row.excluded })
              )
            ) : (
              <Names key="e" items={value.excludedItems} />
            ),
          ],
          [t.restores, row.needsSecondPerson ? t.restoresApproved : t.restoresAlone],
          [t.reads, row.withoutReading ? t.no : t.yes],
          [t.downloads, row.mayDownload ? t.yes : t.no],
        ]}
      />
      {isDeleting && (
        <TypedConfirm
          title={t.deleteTitle({ name: row.name })}
          type={null}
          phrase={t.delete}
          send={() => client().ask('deleteRestoreRole', { organizationId, opRoleId: id })}
          onDone={() => {
            showSuccess(t.deleted);
            setDeleting(false);
            onDeleted();
          }}
          onClose={() => setDeleting(false)}
        >
          <p className="m-0">{t.deleteConsequence}</p>
        </TypedConfirm>
      )}
    </div>
  );
}

type Named = OutputOf<'getRestoreRole'>['selectedItems'][number];

const Names = ({ items }: { readonly items: readonly Named[] }) => (
  <ul className="m-0 max-h-60 list-none overflow-auto p-0">
    {items.map(({ type, id, name, address }) => (
      <li key={`${type} ${id}`} className="break-words">
        {name || address || <span className="text-ink-3">{t.unknown}</span>}{' '}
        <span className="text-agate text-ink-3">{name === '' ? '' : address}</span>
      </li>
    ))}
  </ul>
);

const EMPTY = {};
