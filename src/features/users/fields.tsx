import { formatList } from '#contract/i18n/list.ts';
import { ROLES } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { LIMITS } from '#contract/limits.ts';
import { coversRoles } from '#contract/users/authority.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { SSO_WORDS } from '#src/app/session/single-sign-on.ts';
import { Check } from '#src/ui/check.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { SelectedValues } from '#src/ui/chosen.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { fullText } from '#src/ui/full-text.tsx';
import { FormPart, GroupError } from '../shared/forms/form-parts.tsx';
import { isThe } from '../shared/ids.ts';
import { needsEmail, SSO_SYSTEMS } from './form.ts';
import type { UserFormErrors, UserDraft } from './form.ts';
import { ROLE_NAMES } from '../shared/role-names.ts';
import { AUTH_WORDS, ROLE_DETAILS } from './labels.ts';
import { userMessages as t } from './messages.en.ts';

export interface UserFieldsProps {
  readonly me: Me;
  readonly user: UserListed | null;
  readonly draft: UserDraft;
  readonly errors: UserFormErrors;
  readonly onChange: (next: Partial<UserDraft>) => void;
}

export function UserFields(props: UserFieldsProps) {
  return (
    <>
      <Names {...props} />
      <SignsIn {...props} />
      <Roles {...props} />
      <Companies {...props} />
      <Elsewhere {...props} />
      <More {...props} />
    </>
  );
}

const text = (
  value: string,
  onChange: (value: string) => void,
  maxLength: number = LIMITS.nameChars,
) => ({
  value,
  maxLength,
  autoComplete: 'off',
  onChange: (event: { readonly target: { readonly value: string } }) =>
    onChange(event.target.value),
});

function Names({ user, draft, errors, onChange }: UserFieldsProps) {
  return (
    <FormPart title={t.profile}>
      <RequiredNote />
      <TextField
        label={t.name}
        {...text(draft.name, (name) => onChange({ name }))}
        error={errors.name ?? null}
        required
      />
      <TextField
        label={t.username}
        {...text(draft.username, (username) => onChange({ username }))}
        error={errors.username ?? null}
        hint={fullText(draft.username)}
        spellCheck={false}
        autoCapitalize="none"
        required
      />
      <TextField
        label={t.email}
        type="email"
        inputMode="email"
        {...text(draft.email, (email) => onChange({ email }), 254)}
        error={errors.email ?? null}
        hint={fullText(
          draft.email,
          user !== null && !user.emailVerified && user.email === draft.email.trim()
            ? t.emailNotConfirmed
            : t.emailHint,
        )}
        required={needsEmail(user)}
      />
      <TextField
        label={t.mobilePhone}
        type="tel"
        {...text(draft.mobilePhone, (mobilePhone) => onChange({ mobilePhone }), 40)}
        error={errors.mobilePhone ?? null}
        hint={t.mobilePhoneHint}
      />
      <TextField
        label={t.officePhone}
        type="tel"
        {...text(draft.officePhone, (officePhone) => onChange({ officePhone }), 40)}
        error={errors.officePhone ?? null}
      />
    </FormPart>
  );
}

function SignsIn({ me, user, draft, errors, onChange }: UserFieldsProps) {
  return (
    <FormPart title={t.signIn}>
      {isThe(me.id, user) ? (
        <p className="m-0">{AUTH_WORDS[draft.auth]}</p>
      ) : (
        <Select
          label={t.signInMethod}
          block
          value={draft.auth}
          onChange={(auth) => onChange({ auth })}
          options={[
            { value: 'db', label: AUTH_WORDS.db },
            { value: 'ad', label: AUTH_WORDS.ad },
          ]}
        />
      )}
      {user !== null && user.auth !== draft.auth && (
        <p className="m-0 text-warning">{draft.auth === 'ad' ? t.toDirectory : t.toPortal}</p>
      )}
      {user === null && draft.auth === 'db' && (
        <div>
          <Choice
            name="first"
            checked={draft.first === 'invite'}
            title={t.invite}
            detail={t.inviteDetail}
            onChoose={() => onChange({ first: 'invite', password: '' })}
          />
          <Choice
            name="first"
            checked={draft.first === 'password'}
            title={t.setFirstPassword}
            detail={t.firstPasswordDetail}
            onChoose={() => onChange({ first: 'password' })}
          />
        </div>
      )}
      {user === null && draft.auth === 'db' && draft.first === 'password' && (
        <TextField
          label={t.firstPassword}
          required
          type="password"
          {...text(draft.password, (password) => onChange({ password }), LIMITS.passwordChars)}
          autoComplete="new-password"
          error={errors.password ?? null}
          hint={t.firstPasswordHint}
        />
      )}
      <div {...(errors.sms !== undefined && { 'data-error': true })}>
        <Switch
          label={t.smsCode}
          detail={t.smsCodeDetail}
          on={draft.sms}
          onChange={(sms) => onChange({ sms })}
        />
        <GroupError>{errors.sms}</GroupError>
      </div>
    </FormPart>
  );
}

function Roles({ me, user, draft, errors, onChange }: UserFieldsProps) {
  const own = isThe(me.id, user);
  return (
    <FormPart title={t.roles}>
      {own && <p className="m-0 text-ink-2">{t.ownRoles}</p>}
      <div {...(errors.roles !== undefined && { 'data-error': true })}>
        {ROLES.map((role) => {
          const isBeyond = !coversRoles(me, [role]);
          return (
            <Check
              key={role}
              checked={draft.roles.includes(role)}
              title={ROLE_NAMES[role]}
              detail={isBeyond ? t.roleBeyond({ detail: ROLE_DETAILS[role] }) : ROLE_DETAILS[role]}
              disabled={own || isBeyond}
              onChange={(on) =>
                onChange({
                  roles: on ? [...draft.roles, role] : draft.roles.filter((one) => one !== role),
                })
              }
            />
          );
        })}
      </div>
      <GroupError>{errors.roles}</GroupError>
    </FormPart>
  );
}

function Companies({ me, user, draft, errors, onChange }: UserFieldsProps) {
  const known = useWatch('companies', EMPTY) ?? [];
  const own = isThe(me.id, user);
  const { companies } = draft;
  const getLabel = (n: number): string =>
    known.find((one) => one.n === n)?.name ??
    user?.companies?.find((one) => one.n === n)?.name ??
    t.companyNumber({ n });
  return (
    <FormPart title={t.companies}>
      {own ? (
        <p className="m-0">
          {companies === null ? t.allCompanies : formatList(companies.map(getLabel), 'plain')}
        </p>
      ) : (
        <>
          <div>
            {me.companies === null && (
              <Choice
                name="companies"
                checked={companies === null}
                title={t.allCompanies}
                detail={t.allCompaniesDetail}
                onChoose={() => onChange({ companies: null })}
              />
            )}
            <Choice
              name="companies"
              checked={companies !== null}
              title={t.selectedCompanies}
              detail={t.selectedCompaniesDetail}
              onChoose={() => onChange({ companies: companies ?? [] })}
            />
          </div>
          {companies !== null && (
            <div
              className="grid gap-2"
              {...(errors.companies !== undefined && { 'data-error': true })}
            >
              <Combobox
                label={t.addCompany}
                value=""
                placeholder={t.searchByName}
                onChange={(n) => onChange({ companies: [...companies, Number(n)] })}
                options={known
                  .filter(({ n }) => !companies.includes(n))
                  .map(({ n, name }) => ({ value: String(n), label: name }))
                  .toSorted((a, b) => a.label.localeCompare(b.label))}
              />
              <SelectedValues
                label={t.companies}
                none={t.noCompanies}
                items={companies.map((n) => ({ key: n, label: getLabel(n) }))}
                onRemove={(n) => onChange({ companies: companies.filter((one) => one !== n) })}
              />
            </div>
          )}
          <GroupError>{errors.companies}</GroupError>
        </>
      )}
    </FormPart>
  );
}

function Elsewhere({ draft, errors, onChange }: UserFieldsProps) {
  return (
    <FormPart title={t.singleSignOn}>
      {SSO_SYSTEMS.map((system) => {
        const one = draft.sso[system];
        const change = (next: Partial<typeof one>): void =>
          onChange({ sso: { ...draft.sso, [system]: { ...one, ...next } } });
        return (
          <div key={system} className="grid gap-1">
            <TextField
              label={(system === 'zerto' ? t.ssoZorg : t.ssoAccount)({ system: SSO_WORDS[system] })}
              {...text(one.name, (name) => change({ name }))}
              error={errors[system] ?? null}
              spellCheck={false}
            />
            <Switch
              label={t.ssoEnabled({ system: SSO_WORDS[system] })}
              on={one.enabled}
              onChange={(enabled) => change({ enabled })}
            />
          </div>
        );
      })}
    </FormPart>
  );
}

function More({ draft, errors, onChange }: UserFieldsProps) {
  return (
    <FormPart title={t.more}>
      <Select
        label={t.defaultResults}
        block
        value={draft.managedFilterType ?? 'all'}
        onChange={(chosen) => onChange({ managedFilterType: chosen === 'all' ? null : chosen })}
        options={[
          { value: 'all', label: t.all },
          { value: 'managed', label: t.managed },
          { value: 'unmanaged', label: t.unmanaged },
        ]}
      />
      <TextField
        label={t.landingPage}
        {...text(draft.landingPage, (landingPage) => onChange({ landingPage }))}
        error={errors.landingPage ?? null}
        hint={t.landingPageHint}
        spellCheck={false}
      />
      <TextField
        label={t.veeamServiceAccount}
        {...text(draft.veeamServiceAccount, (veeamServiceAccount) =>
          onChange({ veeamServiceAccount }),
        )}
        error={errors.veeamServiceAccount ?? null}
        spellCheck={false}
      />
      <div>
        <Switch
          label={t.ticketOwner}
          detail={t.ticketOwnerDetail}
          on={draft.assignAsConnectWiseOwner}
          onChange={(assignAsConnectWiseOwner) => onChange({ assignAsConnectWiseOwner })}
        />
        <Switch
          label={t.securityQuestions}
          detail={t.securityQuestionsDetail}
          on={draft.forceSecurityQuestions}
          onChange={(forceSecurityQuestions) => onChange({ forceSecurityQuestions })}
        />
        <Switch
          label={t.microsoft365Migrator}
          on={draft.isO365Migrator}
          onChange={(isO365Migrator) => onChange({ isO365Migrator })}
        />
      </div>
    </FormPart>
  );
}

const EMPTY = {};
