import { formatList } from '#contract/i18n/list.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok } from '#contract/result.ts';
import { PEOPLE } from '#contract/messages/people.messages.en.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useMe } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { SelectedValues } from '#src/ui/chosen.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { RequiredNote } from '#src/ui/required.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { FormPart, SaveBar } from '../shared/forms/form-parts.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { PersonPicker } from '../shared/forms/person-picker.tsx';
import { getId } from '../shared/ids.ts';
import { COMPANIES_PATH, companiesPlace } from './address.ts';
import {
  companySchema,
  explainCompanyRefusal,
  getCompanyChanges,
  getCompanyDraft,
} from './form.ts';
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
  const { form, change, errors, error, busy, dirty, formRef, save, reset } = useDraftForm({
    initial: getCompanyDraft(company),
    offline,
    schema: companySchema,
    submit: (input, draft) =>
      withReauth(() =>
        company === null
          ? client().ask('createCompany', input)
          : client().ask('editCompany', {
              id: getId(company),
              ...getCompanyChanges(draft, company),
            }),
      ),
    explain: explainCompanyRefusal,
    onSaved: (saved) => {
      reset(getCompanyDraft(saved));
      showSuccess(company === null ? t.companyCreated({ company: saved.name }) : t.changesSaved);
      onSaved(saved);
    },
  });
  const field = (key: 'veeamId' | 'vac' | 'vcd' | 'zerto') => ({
    value: form[key],
    maxLength: LIMITS.nameChars,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [key]: event.target.value }),
  });

  return (
    <form
      ref={formRef}
      className="flex min-h-0 grow flex-col"
      noValidate
      onSubmit={(event) => void save(event)}
    >
      <div className="grid min-h-0 grow content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
        <FormPart title={t.company}>
          <RequiredNote />
          <TextField
            label={t.name}
            value={form.name}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            required
            error={errors['name'] ?? null}
            onChange={(event) => change({ name: event.target.value })}
          />
          {company !== null && (
            <p className="m-0 text-ink-2">
              {company.users.length === 0
                ? t.noLimitedUsers
                : t.limitedUsers({
                    users: formatList(
                      company.users.map(({ name }) => name),
                      'plain',
                    ),
                  })}
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
            on={form.office365}
            onChange={(office365) => change({ office365 })}
          />
          {form.office365 && (
            <div className="grid gap-2">
              <AddOrganization
                onAdd={(id) => {
                  if (!form.organizations.includes(id))
                    change({ organizations: [...form.organizations, id] });
                }}
              />
              <SelectedValues
                label={t.organizations}
                none={t.noOrganizations}
                items={form.organizations.map((id) => ({ key: id, label: id }))}
                onRemove={(id) =>
                  change({ organizations: form.organizations.filter((one) => one !== id) })
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
            without={form.notify.map(({ _id }) => _id)}
            onChoose={({ _id, name, username }) =>
              change({ notify: [...form.notify, { _id, name, username }] })
            }
          />
          <SelectedValues
            label={t.usersToNotify}
            none={t.noUsersToNotify}
            items={form.notify.map(({ _id, name, username }) => ({
              key: _id,
              label: `${name} (${username})`,
            }))}
            onRemove={(id) => change({ notify: form.notify.filter(({ _id }) => _id !== id) })}
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
        onUndo={company === null ? null : () => reset()}
      />
      <UnsavedQuestion
        dirty={dirty}
        leaves={(path, query) =>
          path !== COMPANIES_PATH ||
          companiesPlace(query).open !== (company === null ? 'new' : getId(company))
        }
      />
    </form>
  );
}

/** The field that adds to the list. It is no form element of its own: it is inside of the form. */
function AddOrganization({ onAdd }: { readonly onAdd: (id: string) => void }) {
  const { form, change, save, reset } = useDraftForm({
    initial: { id: '' },
    schema: makeReadingSchema(({ id }: { readonly id: string }) => ({ value: id.trim() })),
    submit: (id) => Promise.resolve(ok(id)),
    onSaved: (id) => {
      reset({ id: '' });
      if (id !== '') onAdd(id);
    },
  });
  return (
    <TextField
      label={t.addOrganization}
      value={form.id}
      maxLength={LIMITS.nameChars}
      autoComplete="off"
      spellCheck={false}
      hint={t.organizationHint}
      onChange={({ target }) => change({ id: target.value })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void save(event);
      }}
      end={
        <Button size="sm" variant="quiet" onClick={() => void save()}>
          {ui.add}
        </Button>
      }
    />
  );
}
