import { useState } from 'react';
import { backupProxyCalls } from '#contract/backup/proxy-calls.ts';
import type { BackupProxyRow } from '#contract/backup/repositories.ts';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { formatDate } from '#src/ui/format.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import { Moment } from '../moment.tsx';
import { StateText } from '../state-text.tsx';
import { getProxyState } from './proxy-state.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export type ProxyRow = OutputOf<'listProxies'>['rows'][number];

/** A proxy beside the list: how it is, what it does, and what can be done with it. */
export function ProxyPanel({
  row,
  health,
  now,
  onChanged,
}: {
  readonly row: BackupProxyRow;
  /** Null: not known. */
  readonly health: ProxyRow | null;
  readonly now: Ms;
  readonly onChanged: () => void;
}) {
  const { id, name, pool, maintenance, hostName, joinedAt } = row;
  const zone = useZone();
  const mutation = useServerMutation();
  const [open, setOpen] = useState<'pool' | 'remove' | null>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const needsNetwork = {
    size: 'sm',
    disabled: offline,
    ...(offline && { 'data-tip': MESSAGES.needsNetwork }),
  } as const;
  const setMaintenance = async (on: boolean): Promise<void> => {
    const saved = await mutation.send(() =>
      withReauth(() => client().ask('updateProxy', { id, maintenance: on })),
    );
    if (saved.ok) showSuccess(on ? t.maintenanceBegun : t.maintenanceEnded);
    else showFailure(getFailureText(saved.failure));
    onChanged();
  };
  const version = health?.version ?? row.version;
  return (
    <div className="min-h-0 overflow-auto px-4 pb-6 tablet:px-5">
      <div className="flex flex-wrap gap-2 py-2">
        <CallButton
          {...needsNetwork}
          call="updateProxy"
          busy={mutation.busy}
          onClick={() => void setMaintenance(!maintenance)}
        >
          {maintenance ? t.endMaintenance : t.beginMaintenance}
        </CallButton>
        <CallButton {...needsNetwork} call="updateProxy" onClick={() => setOpen('pool')}>
          {t.changePool}
        </CallButton>
        {health?.state === 'offline' && (
          <CallButton
            {...needsNetwork}
            call="deleteProxy"
            icon="trash"
            onClick={() => setOpen('remove')}
          >
            {t.removeProxy}
          </CallButton>
        )}
      </div>
      {maintenance && <Callout tone="warning">{t.maintenanceHint}</Callout>}
      {health !== null && version !== health.serverVersion && (
        <Callout tone="warning">
          {t.otherVersion({ version, server: health.serverVersion })}
        </Callout>
      )}
      {health !== null && !health.hasFolder && <Callout tone="running">{t.noFolder}</Callout>}
      <FactList
        facts={[
          [t.state, <StateText key="state" label={getProxyState(row, health)} />],
          ...(health === null || health.isServer
            ? []
            : [
                [
                  t.lastSeen,
                  <Moment key="seen" at={health.lastSeenAt} now={now} never={t.never} />,
                ] as const,
              ]),
          [t.pool, pool ?? t.noPool],
          [t.host, hostName],
          [t.version, version],
          [t.joined, formatDate(joinedAt, zone)],
        ]}
      />
      <h3 className="m-0 pt-4 pb-1">{t.runningWork}</h3>
      {health === null || health.work.length === 0 ? (
        <p className="m-0 text-ink-3">{health === null ? t.notKnown : t.noWork}</p>
      ) : (
        <ul className="m-0 list-none p-0">
          {health.work.map((work) => (
            <li
              key={`${work.kind} ${work.repositoryName} ${work.since}`}
              className="flex flex-wrap justify-between gap-x-3 border-b border-hair py-2"
            >
              <span className="min-w-0 break-words">
                {WORK[work.kind]()}{' '}
                <span className="text-ink-3">
                  {work.organizationName} · {work.repositoryName}
                </span>
              </span>
              <Moment at={work.since} now={now} never="" />
            </li>
          ))}
        </ul>
      )}
      {open === 'pool' && (
        <PoolDialog
          row={row}
          onClose={() => {
            setOpen(null);
            onChanged();
          }}
        />
      )}
      {open === 'remove' && (
        <TypedConfirm
          title={t.removeProxyTitle({ name })}
          type={null}
          phrase={t.removeProxy}
          send={() => withReauth(() => client().ask('deleteProxy', { id }))}
          onDone={() => {
            showSuccess(t.proxyRemoved);
            setOpen(null);
            onChanged();
          }}
          onClose={() => setOpen(null)}
        >
          <p className="m-0">{t.removeProxyConsequence}</p>
        </TypedConfirm>
      )}
    </div>
  );
}

function PoolDialog({
  row: { id, pool },
  onClose,
}: {
  readonly row: BackupProxyRow;
  readonly onClose: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { pool: pool ?? '' },
    offline,
    schema: makeFormSchema(backupProxyCalls.updateProxy.input, (fields: { pool: string }) => ({
      value: { id, pool: fields.pool.trim() || null } satisfies InputOf<'updateProxy'>,
      errors: {},
    })),
    submit: (input) => withReauth(() => client().ask('updateProxy', input)),
    onSaved: () => {
      showSuccess(t.saved);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.changePool}
      onClose={onClose}
      submitLabel={t.changePool}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <TextField
        label={t.pool}
        hint={t.poolHint}
        value={form.pool}
        maxLength={LIMITS.nameChars}
        autoComplete="off"
        error={errors['pool'] ?? null}
        onChange={({ target }) => change({ pool: target.value })}
      />
    </FormDialog>
  );
}

const WORK: Readonly<Record<ProxyRow['work'][number]['kind'], () => string>> = {
  'backup': () => t.workBackup,
  'restore': () => t.workRestore,
  'clean-up': () => t.workCleanUp,
  'verification': () => t.workVerification,
  'attachment': () => t.workAttachment,
  'deletion': () => t.workDeletion,
};
const EMPTY = {};
