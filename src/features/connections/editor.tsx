import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { OWNERS_OF, SIGN_INS_OF } from '#contract/connections/connection.ts';
import type { ConnectionOut, ConnectionTested } from '#contract/connections/calls.ts';
import type { Result } from '#contract/result.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import type { FormRefusal } from '#src/ui/use-draft-form.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { PinnedCertificate } from '../shared/certificate/pinned-certificate.tsx';
import { ServerAnswer } from '../shared/certificate/server-answer.tsx';
import {
  getConnectionDraft,
  everyChoices,
  CONNECTION_ERRORS,
  keepsSecret,
  makeConnectionSchema,
  CONNECTION_LABELS,
  KINDS,
  NEW,
  SIGN_IN_WORDS,
  toTestInput,
  withKind,
} from './form.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { connectionMessages as t } from './messages.en.ts';

export interface EditorProps {
  /** Null: a new connection. */
  readonly connection: ConnectionOut | null;
  readonly companies: readonly CompanyRow[];
  readonly zone: string;
  readonly offline: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Editor of a connection; it is tested before it is saved. */
export function Editor({ connection, companies, zone, offline, onClose, onSaved }: EditorProps) {
  const {
    form: draft,
    change,
    errors,
    error,
    busy: isSaving,
    dirty,
    formRef,
    save,
    check,
    refuse,
  } = useDraftForm({
    initial: connection === null ? NEW : getConnectionDraft(connection),
    offline,
    schema: makeConnectionSchema(connection),
    submit: async (sent): Promise<Result<unknown>> =>
      sent.kind === 'make'
        ? withReauth(() => client().ask('createConnection', sent.input))
        : withReauth(() => client().ask('editConnection', sent.input)),
    explain,
    onSaved: () => {
      showSuccess(connection === null ? t.created : t.saved);
      onSaved();
    },
  });
  const testing = useServerMutation();
  const [tested, setTested] = useState<{
    readonly of: string;
    readonly description: ConnectionTested;
  } | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const { signIn, certificate } = draft;
  const labels = SIGN_IN_WORDS[signIn];
  const test = JSON.stringify(toTestInput(draft, connection));
  const details = tested?.of === test ? tested.description : null;
  const busy = testing.busy || isSaving;

  async function tryIt(): Promise<ConnectionTested | null> {
    if (check() === null) return null;
    const answer = await testing.send(() =>
      client().ask('testConnection', toTestInput(draft, connection)),
    );
    if (!answer.ok) {
      refuse(explain(answer.failure));
      return null;
    }
    setTested({ of: test, description: answer.value });
    return answer.value;
  }

  /** Tests the connection first if it is enabled and untested. */
  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || offline) return;
    if (draft.enabled && details?.ok !== true && (await tryIt())?.ok !== true) return;
    await save();
  }

  const options = companies
    .map(({ n, name }) => ({ value: String(n), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const company = {
    label: t.company,
    required: true,
    block: true,
    value: draft.companyN === null ? '' : String(draft.companyN),
    options,
    error: errors['companyN'] ?? null,
    onChange: (n: string) => change({ companyN: Number(n) }),
  };
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  return (
    <Dialog
      dirty={dirty}
      title={connection === null ? t.newConnection : t.editNamed({ name: connection.name })}
      wide
      onClose={onClose}
      first={first}
      footer={
        <>
          <Button
            variant="primary"
            type="submit"
            form="connection"
            busy={isSaving}
            disabled={offline || testing.busy}
            {...why}
          >
            {!draft.enabled || details?.ok === true ? ui.save : t.testAndSave}
          </Button>
          <Button
            busy={testing.busy}
            disabled={offline || isSaving}
            {...why}
            onClick={() => void tryIt()}
          >
            {t.test}
          </Button>
          {details !== null && !details.ok && (
            <Button variant="quiet" disabled={offline || busy} onClick={() => void save()}>
              {t.saveAnyway}
            </Button>
          )}
          <Button variant="quiet" onClick={onClose}>
            {ui.cancel}
          </Button>
        </>
      }
    >
      <form
        id="connection"
        ref={formRef}
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-4 px-5 py-4"
        onSubmit={(event) => void submit(event)}
      >
        <RequiredNote />
        {connection === null && (
          <fieldset className="m-0 min-w-0 border-0 p-0">
            <legend className="pb-1 font-semibold">{t.system}</legend>
            <div className="grid border-t border-hair tablet:grid-cols-2 tablet:gap-x-6 tablet:[&>label]:border-0">
              {KINDS.map((kind) => (
                <Choice
                  key={kind}
                  name="kind"
                  checked={draft.kind === kind}
                  title={CONNECTION_LABELS[kind].name}
                  detail={CONNECTION_LABELS[kind].detail}
                  onChoose={() => change(withKind(draft, kind))}
                />
              ))}
            </div>
          </fieldset>
        )}
        <TextField
          ref={first}
          label={t.name}
          required
          value={draft.name}
          maxLength={LIMITS.nameChars}
          autoComplete="off"
          error={errors['name'] ?? null}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label={t.url}
          required
          value={draft.address}
          maxLength={LIMITS.addressChars}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          placeholder={CONNECTION_LABELS[draft.kind].address}
          error={errors['address'] ?? null}
          onChange={({ target }) => change({ address: target.value })}
        />
        {OWNERS_OF[draft.kind] === null &&
          (companies.length > FEW ? (
            <Combobox {...company} placeholder={t.typeName} />
          ) : (
            <Select {...company} placeholder={t.chooseCompany} />
          ))}
        {SIGN_INS_OF[draft.kind].length > 1 && (
          <Select
            label={t.signInWith}
            block
            value={signIn}
            options={SIGN_INS_OF[draft.kind].map((one) => ({
              value: one,
              label: SIGN_IN_WORDS[one].choice,
            }))}
            onChange={(one) => {
              const found = SIGN_INS_OF[draft.kind].find((known) => known === one);
              if (found) change({ signIn: found });
            }}
          />
        )}
        {signIn !== 'key' && (
          <TextField
            label={labels.user}
            required
            value={draft.user}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            spellCheck={false}
            error={errors['credentials.name'] ?? null}
            onChange={({ target }) => change({ user: target.value })}
          />
        )}
        <TextField
          label={labels.secret}
          required={connection === null || !keepsSecret({ ...draft, secret: '' }, connection)}
          type="password"
          value={draft.secret}
          maxLength={LIMITS.secretChars}
          autoComplete="new-password"
          error={errors['credentials.secret'] ?? errors['credentials'] ?? null}
          onChange={({ target }) => change({ secret: target.value })}
          hint={
            connection !== null && keepsSecret({ ...draft, secret: '' }, connection)
              ? t.secretStored
              : t.secretHint
          }
        />
        <Select
          label={t.interval}
          block
          value={String(draft.everySec)}
          options={everyChoices(draft.everySec).map(([sec, label]) => ({
            value: String(sec),
            label,
          }))}
          onChange={(sec) => change({ everySec: Number(sec) })}
        />
        <p className="m-0 -mt-2 text-agate text-ink-3">{t.intervalHint}</p>
        <Switch
          label={t.on}
          detail={t.onHint}
          on={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <PinnedCertificate
          certificate={certificate}
          error={errors['certificate'] ?? null}
          onChange={(pem) => change({ certificate: pem })}
        />
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        {details !== null && (
          <ServerAnswer
            key={`${test} ${details.message}`}
            {...details}
            zone={zone}
            onPin={(pem) => change({ certificate: pem })}
          />
        )}
      </form>
    </Dialog>
  );
}

/** With more companies than this, the list has a search field. */
const FEW = 10;
const explain = (failure: Failure): FormRefusal => readServerErrors(failure, CONNECTION_ERRORS);
