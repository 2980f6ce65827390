import { ROLES } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { LIMITS } from '#contract/limits.ts';
import { coversRoles } from '#contract/users/authority.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { SSO_WORDS } from '#src/app/session/single-sign-on.ts';
import { Check } from '#src/ui/check.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { Chosen } from '#src/ui/chosen.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { fullText } from '#src/ui/full-text.tsx';
import { FormPart, GroupFault } from '../shared/forms/form-parts.tsx';
import { isThe } from '../shared/ids.ts';
import { needsEmail, SSO_SYSTEMS } from './form.ts';
import type { Faults, UserDraft } from './form.ts';
import { AUTH_WORDS, ROLE_WORDS } from './labels.ts';

export interface UserFieldsProps {
  readonly me: Me;
  readonly user: UserListed | null;
  readonly draft: UserDraft;
  readonly faults: Faults;
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

function Names({ user, draft, faults, onChange }: UserFieldsProps) {
  return (
    <FormPart title="Who it is">
      <RequiredNote />
      <TextField
        label="Name"
        {...text(draft.name, (name) => onChange({ name }))}
        fault={faults.name ?? null}
        required
      />
      <TextField
        label="User name"
        {...text(draft.username, (username) => onChange({ username }))}
        fault={faults.username ?? null}
        hint={fullText(draft.username)}
        spellCheck={false}
        autoCapitalize="none"
        required
      />
      <TextField
        label="E-mail"
        type="email"
        inputMode="email"
        {...text(draft.email, (email) => onChange({ email }), 254)}
        fault={faults.email ?? null}
        hint={fullText(
          draft.email,
          user !== null && !user.emailVerified && user.email === draft.email.trim()
            ? 'Not confirmed by the user: no results or reports are mailed here.'
            : 'Invitations, links and notices go here.',
        )}
        required={needsEmail(user)}
      />
      <TextField
        label="Mobile phone"
        type="tel"
        {...text(draft.mobilePhone, (mobilePhone) => onChange({ mobilePhone }), 40)}
        fault={faults.mobilePhone ?? null}
        hint="Codes by SMS go to this number."
      />
      <TextField
        label="Office phone"
        type="tel"
        {...text(draft.officePhone, (officePhone) => onChange({ officePhone }), 40)}
        fault={faults.officePhone ?? null}
      />
    </FormPart>
  );
}

function SignsIn({ me, user, draft, faults, onChange }: UserFieldsProps) {
  return (
    <FormPart title="Signing in">
      {isThe(me.id, user) ? (
        <p className="m-0">{AUTH_WORDS[draft.auth]}</p>
      ) : (
        <Select
          label="Signs in by"
          block
          value={draft.auth}
          onChange={(auth) => onChange({ auth })}
          options={[
            { value: 'db', word: AUTH_WORDS.db },
            { value: 'ad', word: AUTH_WORDS.ad },
          ]}
        />
      )}
      {user !== null && user.auth !== draft.auth && (
        <p className="m-0 text-warning">
          {draft.auth === 'ad'
            ? 'The password that it has here ends, and all its sessions.'
            : 'It needs a link for a password of this portal afterwards; all its sessions end.'}
        </p>
      )}
      {user === null && draft.auth === 'db' && (
        <div>
          <Choice
            name="first"
            checked={draft.first === 'invite'}
            title="Invite by mail"
            detail="A link to choose a password, good once and for seven days"
            onChoose={() => onChange({ first: 'invite', password: '' })}
          />
          <Choice
            name="first"
            checked={draft.first === 'password'}
            title="Give a first password"
            detail="It has to be changed at the first sign-in"
            onChoose={() => onChange({ first: 'password' })}
          />
        </div>
      )}
      {user === null && draft.auth === 'db' && draft.first === 'password' && (
        <TextField
          label="First password"
          required
          type="password"
          {...text(draft.password, (password) => onChange({ password }), LIMITS.passwordChars)}
          autoComplete="new-password"
          fault={faults.password ?? null}
          hint="15 characters or more; no common word."
        />
      )}
      <div {...(faults.sms !== undefined && { 'data-fault': true })}>
        <Switch
          label="Code by SMS"
          detail="Asked for at every sign-in, by the mobile phone; an authenticator or a passkey comes first"
          on={draft.sms}
          onChange={(sms) => onChange({ sms })}
        />
        <GroupFault>{faults.sms}</GroupFault>
      </div>
    </FormPart>
  );
}

function Roles({ me, user, draft, faults, onChange }: UserFieldsProps) {
  const own = isThe(me.id, user);
  return (
    <FormPart title="Roles">
      {own && (
        <p className="m-0 text-ink-2">
          Your own roles and companies are changed by another administrator.
        </p>
      )}
      <div {...(faults.roles !== undefined && { 'data-fault': true })}>
        {ROLES.map((role) => {
          const isBeyond = !coversRoles(me, [role]);
          return (
            <Check
              key={role}
              checked={draft.roles.includes(role)}
              title={ROLE_WORDS[role].word}
              detail={
                isBeyond
                  ? `${ROLE_WORDS[role].detail}. Your roles can't grant this one.`
                  : ROLE_WORDS[role].detail
              }
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
      <GroupFault>{faults.roles}</GroupFault>
    </FormPart>
  );
}

function Companies({ me, user, draft, faults, onChange }: UserFieldsProps) {
  const known = useWatch('companies', NOTHING) ?? [];
  const own = isThe(me.id, user);
  const { companies } = draft;
  const word = (n: number): string =>
    known.find((one) => one.n === n)?.name ??
    user?.companies?.find((one) => one.n === n)?.name ??
    `Company ${n}`;
  return (
    <FormPart title="Companies">
      {own ? (
        <p className="m-0">
          {companies === null ? 'All companies' : companies.map(word).join(', ')}
        </p>
      ) : (
        <>
          <div>
            {me.companies === null && (
              <Choice
                name="companies"
                checked={companies === null}
                title="All companies"
                detail="Those that come later as well"
                onChoose={() => onChange({ companies: null })}
              />
            )}
            <Choice
              name="companies"
              checked={companies !== null}
              title="Some companies"
              detail="Every other company does not exist for this user"
              onChoose={() => onChange({ companies: companies ?? [] })}
            />
          </div>
          {companies !== null && (
            <div
              className="grid gap-2"
              {...(faults.companies !== undefined && { 'data-fault': true })}
            >
              <Combobox
                label="Add a company"
                value=""
                placeholder="Type a part of the name"
                onChange={(n) => onChange({ companies: [...companies, Number(n)] })}
                options={known
                  .filter(({ n }) => !companies.includes(n))
                  .map(({ n, name }) => ({ value: String(n), word: name }))
                  .toSorted((a, b) => a.word.localeCompare(b.word))}
              />
              <Chosen
                label="Companies"
                none="None chosen yet."
                items={companies.map((n) => ({ key: n, word: word(n) }))}
                onRemove={(n) => onChange({ companies: companies.filter((one) => one !== n) })}
              />
            </div>
          )}
          <GroupFault>{faults.companies}</GroupFault>
        </>
      )}
    </FormPart>
  );
}

function Elsewhere({ draft, faults, onChange }: UserFieldsProps) {
  return (
    <FormPart title="Single sign-on">
      {SSO_SYSTEMS.map((system) => {
        const one = draft.sso[system];
        const change = (next: Partial<typeof one>): void =>
          onChange({ sso: { ...draft.sso, [system]: { ...one, ...next } } });
        return (
          <div key={system} className="grid gap-1">
            <TextField
              label={`${SSO_WORDS[system]}: ${system === 'zerto' ? 'ZORG id' : 'user name'}`}
              {...text(one.name, (name) => change({ name }))}
              fault={faults[system] ?? null}
              spellCheck={false}
            />
            <Switch
              label={`Led to ${SSO_WORDS[system]}`}
              on={one.enabled}
              onChange={(enabled) => change({ enabled })}
            />
          </div>
        );
      })}
    </FormPart>
  );
}

function More({ draft, faults, onChange }: UserFieldsProps) {
  return (
    <FormPart title="More">
      <Select
        label="Results it begins with"
        block
        value={draft.managedFilterType ?? 'all'}
        onChange={(chosen) => onChange({ managedFilterType: chosen === 'all' ? null : chosen })}
        options={[
          { value: 'all', word: 'All' },
          { value: 'managed', word: 'Managed ones' },
          { value: 'unmanaged', word: 'Those not managed' },
        ]}
      />
      <TextField
        label="First page"
        {...text(draft.landingPage, (landingPage) => onChange({ landingPage }))}
        fault={faults.landingPage ?? null}
        hint="Where it begins, such as /monitoring/dashboard. Empty: as its roles say."
        spellCheck={false}
      />
      <TextField
        label="Veeam service account"
        {...text(draft.veeamServiceAccount, (veeamServiceAccount) =>
          onChange({ veeamServiceAccount }),
        )}
        fault={faults.veeamServiceAccount ?? null}
        spellCheck={false}
      />
      <div>
        <Switch
          label="Owner of its tickets"
          detail="In ConnectWise and Autotask they are assigned to it"
          on={draft.assignAsConnectWiseOwner}
          onChange={(assignAsConnectWiseOwner) => onChange({ assignAsConnectWiseOwner })}
        />
        <Switch
          label="Security questions"
          detail="It chooses them at the next sign-in, where the directory signs in"
          on={draft.forceSecurityQuestions}
          onChange={(forceSecurityQuestions) => onChange({ forceSecurityQuestions })}
        />
        <Switch
          label="Microsoft 365 migrator"
          on={draft.isO365Migrator}
          onChange={(isO365Migrator) => onChange({ isO365Migrator })}
        />
      </div>
    </FormPart>
  );
}

const NOTHING = {};
