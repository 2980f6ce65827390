import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PEOPLE } from '#contract/messages/people.messages.en.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { focusFirstError } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useMe } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Chosen } from '#src/ui/chosen.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
import { getFieldErrors } from '../shared/forms/field-errors.ts';
import { FormPart, SaveBar } from '../shared/forms/form-parts.tsx';
import { LeaveQuestion } from '../shared/forms/leave-question.tsx';
import { PersonPicker } from '../shared/forms/person-picker.tsx';
import { getId } from '../shared/ids.ts';
import { COMPANIES_PATH, companiesPlace } from './address.ts';
import { getChanges, createInput, getDraft, isChanged } from './form.ts';
import type { CompanyDraft } from './form.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { companyMessages as t } from './messages.en.ts';

export interface CompanyDetailsProps {
  /** Null: a new company. */
  readonly company: CompanyListed | null;
  readonly offline: boolean;
  readonly onSaved: (company: CompanyListed) => void;
  /** Null for a new company. */
  readonly onDelete: (() => void) | null;
}

export function CompanyDetails({ company, offline, onSaved, onDelete }: CompanyDetailsProps) {
  const ownId = useMe()?.id ?? '';
  const [before, setBefore] = useState(() => getDraft(company));
  const [draft, setDraft] = useState(before);
  const [organization, setOrganization] = useState('');
  const [busy, setBusy] = useState(false);
  const [named, setNamed] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const left = useRef(false);
  const dirty = isChanged(draft, before);
  const change = (next: Partial<CompanyDraft>): void => {
    setDraft((now) => ({ ...now, ...next }));
    if ('name' in next) setNamed(null);
    setError(null);
  };
  const field = (key: 'veeamId' | 'vac' | 'vcd' | 'zerto') => ({
    value: draft[key],
    maxLength: LIMITS.nameChars,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [key]: event.target.value }),
  });

  function addOrganization(): void {
    const id = organization.trim();
    if (id !== '' && !draft.organizations.includes(id))
      change({ organizations: [...draft.organizations, id] });
    setOrganization('');
  }

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || offline) return;
    if (draft.name.trim() === '') {
      setNamed(t.nameMissing);
      focusFirstError(form.current);
      return;
    }
    setBusy(true);
    setError(null);
    const result =
      company === null
        ? await withReauth(() => client().ask('createCompany', createInput(draft)))
        : await withReauth(() =>
            client().ask('editCompany', { id: getId(company), ...getChanges(draft, company) }),
          );
    setBusy(false);
    if (result.ok) {
      const next = getDraft(result.value);
      left.current = company === null;
      setBefore(next);
      setDraft(next);
      tell(company === null ? t.companyCreated({ company: result.value.name }) : t.changesSaved);
      onSaved(result.value);
      return;
    }
    const { failure } = result;
    const details =
      failure.kind === 'conflict' && failure.message === MESSAGES.companyNameTaken
        ? failure.message
        : getFieldErrors(failure)['name'];
    if (details === undefined) setError(getFailureText(failure));
    else {
      setNamed(details);
      focusFirstError(form.current);
    }
  }

  return (
    <form
      ref={form}
      className="flex min-h-0 grow flex-col"
      noValidate
      onSubmit={(event) => void save(event)}
    >
      <div className="grid min-h-0 grow content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
        <FormPart title={t.company}>
          <RequiredNote />
          <TextField
            label={t.name}
            value={draft.name}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            required
            error={named}
            onChange={(event) => change({ name: event.target.value })}
          />
          {company !== null && (
            <p className="m-0 text-ink-2">
              {company.users.length === 0
                ? t.noLimitedUsers
                : t.limitedUsers({ users: company.users.map(({ name }) => name).join(', ') })}
            </p>
          )}
        </FormPart>
        <FormPart title={t.otherSystems}>
          <TextField label={t.veeamId} {...field('veeamId')} hint={t.veeamIdHint} />
          <TextField label={t.vspcId} {...field('vac')} />
          <TextField label={t.cloudDirectorId} {...field('vcd')} />
          <TextField label={t.zertoId} {...field('zerto')} />
          <Switch
            label={t.microsoft365}
            detail={t.microsoft365Detail}
            on={draft.office365}
            onChange={(office365) => change({ office365 })}
          />
          {draft.office365 && (
            <div className="grid gap-2">
              <TextField
                label={t.addOrganization}
                value={organization}
                maxLength={LIMITS.nameChars}
                autoComplete="off"
                spellCheck={false}
                hint={t.organizationHint}
                onChange={(event) => setOrganization(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') {
                    event.preventDefault();
                    addOrganization();
                  }
                }}
                end={
                  <Button size="sm" variant="quiet" onClick={addOrganization}>
                    {ui.add}
                  </Button>
                }
              />
              <Chosen
                label={t.organizations}
                none={t.noOrganizations}
                items={draft.organizations.map((id) => ({ key: id, label: id }))}
                onRemove={(id) =>
                  change({ organizations: draft.organizations.filter((one) => one !== id) })
                }
              />
            </div>
          )}
        </FormPart>
        <FormPart title={t.usersToNotify}>
          <PersonPicker
            label={t.addUser}
            own={ownId}
            errorText={PEOPLE.getUsersToNotify}
            without={draft.notify.map(({ _id }) => _id)}
            onChoose={({ _id, name, username }) =>
              change({ notify: [...draft.notify, { _id, name, username }] })
            }
          />
          <Chosen
            label={t.usersToNotify}
            none={t.noUsersToNotify}
            items={draft.notify.map(({ _id, name, username }) => ({
              key: _id,
              label: `${name} (${username})`,
            }))}
            onRemove={(id) => change({ notify: draft.notify.filter(({ _id }) => _id !== id) })}
          />
        </FormPart>
        {onDelete && (
          <section className="grid gap-2">
            <h3 className="m-0 border-b-2 border-head-rule pb-1">{t.deleteCompany}</h3>
            <p className="m-0 text-ink-2">{t.deleteSummary}</p>
            <span>
              <CallButton
                call="deleteCompany"
                variant="danger"
                icon="trash"
                disabled={offline}
                {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
                onClick={onDelete}
              >
                {t.deleteCompany}
              </CallButton>
            </span>
          </section>
        )}
      </div>
      <SaveBar
        label={company === null ? t.createCompany : t.saveChanges}
        busy={busy}
        dirty={dirty || company === null}
        offline={offline}
        error={error}
        onUndo={
          company === null
            ? null
            : () => {
                setDraft(before);
                setNamed(null);
                setError(null);
              }
        }
      />
      <LeaveQuestion
        dirty={dirty}
        leaves={(path, query) =>
          !left.current &&
          (path !== COMPANIES_PATH ||
            companiesPlace(query).open !== (company === null ? 'new' : getId(company)))
        }
      />
    </form>
  );
}
