import type { ProviderSettings, SecretName } from '#contract/branding/settings.ts';
import type { Tried } from '#contract/branding/settings-calls.ts';

/**
 * A field of a part, as it is typed. `many`: several lines. `switch`: `true` where it is on.
 * `options`: one of these. An empty one that is `optional` is sent as null.
 */
export interface PartField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly wrong: string;
  readonly kind?: 'text' | 'number' | 'email' | 'url' | 'many' | 'switch';
  readonly optional?: true;
  readonly options?: readonly { readonly value: string; readonly word: string }[];
  readonly first?: string;
}

export const PART_NAMES = [
  'mail',
  'sms',
  'directory',
  'oidc',
  'vac',
  'vcd',
  'zerto',
] as const satisfies readonly SecretName[];
export type PartName = (typeof PART_NAMES)[number];

/**
 * Another system that this provider's portal talks to: its address, its secret, and how it is
 * tried.
 */
export interface Part {
  readonly title: string;
  readonly says: string;
  /** What happens while it is not set. */
  readonly without: string;
  /** Waiting messages are shown there as long as nothing sends them. */
  readonly outbox?: true;
  readonly fields: readonly PartField[];
  readonly secret: string;
  /** Null where it is tried by using it. */
  readonly tried: Tried | null;
  readonly tries: string;
}

const account = { kind: 'text', wrong: 'Enter a name, 200 characters at most.' } as const;
const address = {
  kind: 'url',
  wrong: 'Enter an address that begins with https:// or http://, without a name or password in it.',
} as const;

export const PARTS: Readonly<Record<PartName, Part>> = {
  mail: {
    title: 'Mail',
    says: 'Invitations, links to choose a password, and notices of changes go out by this server.',
    without: 'Mails are written and wait.',
    outbox: true,
    fields: [
      {
        name: 'host',
        label: 'Server',
        hint: 'Such as smtp.example.com.',
        kind: 'text',
        wrong: 'Enter a host name.',
      },
      {
        name: 'port',
        label: 'Port',
        kind: 'number',
        first: '587',
        wrong: 'Enter a number from 1 to 65535.',
      },
      {
        name: 'security',
        label: 'Encryption',
        first: 'starttls',
        wrong: 'Choose one.',
        options: [
          { value: 'starttls', word: 'STARTTLS, usually port 587' },
          { value: 'tls', word: 'TLS from the start, usually port 465' },
          { value: 'none', word: 'None: where the operator of this server allows it' },
        ],
      },
      {
        name: 'username',
        label: 'Username',
        hint: 'Empty where the server asks for none.',
        optional: true,
        ...account,
      },
      {
        name: 'from',
        label: 'Sender address',
        kind: 'email',
        wrong: 'Enter an address such as portal@example.com.',
      },
      {
        name: 'fromName',
        label: 'Sender name',
        hint: 'Empty: the title of the portal.',
        optional: true,
        ...account,
      },
    ],
    secret: 'Password',
    tried: 'mail',
    tries: 'Sends a mail to the address of your profile.',
  },
  sms: {
    title: 'SMS',
    says: 'Codes for signing in go out by this gateway. It speaks the form of Twilio.',
    without: 'Codes are written and wait.',
    outbox: true,
    fields: [
      { name: 'url', label: 'Address', hint: 'Such as https://api.twilio.com.', ...address },
      { name: 'account', label: 'Account', ...account },
      {
        name: 'from',
        label: 'Sender',
        hint: 'A number of the account, or a name where the gateway allows one.',
        ...account,
      },
    ],
    secret: 'Token',
    tried: 'sms',
    tries: 'Sends a message to the mobile number of your profile.',
  },
  directory: {
    title: 'Directory',
    says: 'Users of an Active Directory sign in with their password there.',
    without: 'Users sign in with a password that the portal keeps.',
    fields: [
      {
        name: 'url',
        label: 'Address',
        hint: 'ldaps://dc.example.com, or ldap:// with STARTTLS.',
        kind: 'url',
        wrong: 'Enter an address that begins with ldaps:// or ldap://.',
      },
      {
        name: 'baseDn',
        label: 'Base',
        hint: 'Where users are looked for, such as OU=People,DC=example,DC=com.',
        kind: 'text',
        wrong: 'Enter a distinguished name.',
      },
      { name: 'domain', label: 'Domain', hint: 'Such as EXAMPLE or example.com.', ...account },
      {
        name: 'serviceDn',
        label: 'Service account',
        hint: 'Its distinguished name. It reads users and sets their passwords.',
        kind: 'text',
        wrong: 'Enter a distinguished name.',
      },
      {
        name: 'ca',
        label: 'Certificate authority',
        hint: 'PEM, where the directory’s certificate is not of a public one.',
        kind: 'many',
        optional: true,
        wrong: 'Enter a certificate in PEM, or nothing.',
      },
    ],
    secret: 'Password of the service account',
    tried: 'directory',
    tries: 'Connects as the service account and looks for users.',
  },
  oidc: {
    title: 'OpenID Connect',
    says: 'Users may sign in with another account that they have. They must be users here already.',
    without: 'The sign-in page offers no other account.',
    fields: [
      {
        name: 'issuer',
        label: 'Issuer',
        hint: 'Such as https://login.example.com/tenant/v2.0.',
        ...address,
      },
      { name: 'clientId', label: 'Client id', ...account },
      {
        name: 'label',
        label: 'Name of the account',
        hint: 'The button reads “Sign in with …” and this name.',
        first: 'OpenID Connect',
        ...account,
      },
      {
        name: 'trustsFactor',
        label: 'Its second factor counts',
        hint: 'Who comes from there is asked for no other one. Only where the issuer asks everybody for one.',
        kind: 'switch',
        first: 'false',
        wrong: 'Choose one.',
      },
    ],
    secret: 'Client secret',
    tried: 'oidc',
    tries: 'Asks the issuer who it is.',
  },
  vac: {
    title: 'Veeam Service Provider Console',
    says: 'Users open it from here without another password.',
    without: 'It cannot be opened from here.',
    fields: [{ name: 'url', label: 'Address', ...address }],
    secret: 'API key',
    tried: null,
    tries: 'It is tried when a user with an account there opens it.',
  },
  vcd: {
    title: 'VMware Cloud Director',
    says: 'Users open it from here without another password.',
    without: 'It cannot be opened from here.',
    fields: [
      { name: 'url', label: 'Address', ...address },
      { name: 'organization', label: 'Organization', ...account },
    ],
    secret: 'Refresh token',
    tried: null,
    tries: 'It is tried when a user with an account there opens it.',
  },
  zerto: {
    title: 'Zerto',
    says: 'Users open the self-service portal from here without another password.',
    without: 'It cannot be opened from here.',
    fields: [
      { name: 'url', label: 'Address of the Cloud Manager', ...address },
      { name: 'zssp', label: 'Address of the self-service portal', ...address },
      { name: 'username', label: 'Username', ...account },
    ],
    secret: 'Password',
    tried: null,
    tries: 'It is tried when a user with an account there opens it.',
  },
};

const SSO = ['vac', 'vcd', 'zerto'] as const;
const ssoName = (name: PartName): (typeof SSO)[number] | null =>
  SSO.find((one) => one === name) ?? null;

type Kept = Readonly<Record<string, unknown>>;
/** What is set of a part; null where nothing is. */
export function keptPart(settings: ProviderSettings, name: PartName): Kept | null {
  const sso = ssoName(name);
  const kept =
    sso === null ? settings[name as Exclude<PartName, (typeof SSO)[number]>] : settings.sso?.[sso];
  return kept ?? null;
}

export type PartDraft = Readonly<Record<string, string>>;
export const draftOf = (settings: ProviderSettings, name: PartName): PartDraft => {
  const kept = keptPart(settings, name);
  return Object.fromEntries(
    PARTS[name].fields.map((field) => {
      const value = kept?.[field.name];
      return [
        field.name,
        kept === null
          ? (field.first ?? '')
          : typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
            ? String(value)
            : field.kind === 'switch'
              ? 'false'
              : '',
      ];
    }),
  );
};

/** As the call takes it: the whole part, with what it holds beside the fields (a scope). */
export function inputOf(
  settings: ProviderSettings,
  name: PartName,
  draft: PartDraft,
): Partial<Record<keyof ProviderSettings, unknown>> {
  const value = {
    ...keptPart(settings, name),
    ...Object.fromEntries(
      PARTS[name].fields.map(({ name: field, kind, optional }) => {
        const typed = (draft[field] ?? '').trim();
        return [
          field,
          optional && typed === ''
            ? null
            : kind === 'number'
              ? Number(typed)
              : kind === 'switch'
                ? typed === 'true'
                : typed,
        ];
      }),
    ),
  };
  return wrapped(settings, name, value);
}

/** Takes the part away. */
export const withoutPart = (
  settings: ProviderSettings,
  name: PartName,
): Partial<Record<keyof ProviderSettings, unknown>> => wrapped(settings, name, null);

function wrapped(
  settings: ProviderSettings,
  name: PartName,
  value: unknown,
): Partial<Record<keyof ProviderSettings, unknown>> {
  const sso = ssoName(name);
  return sso === null
    ? { [name]: value }
    : { sso: { vac: null, vcd: null, zerto: null, ...settings.sso, [sso]: value } };
}

/** Where a fault of a field stands in what is sent, with the field's words for it. */
export const faultWords = (name: PartName): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PARTS[name].fields.flatMap(({ name: field, wrong }) => [[pathOf(name, field), wrong]]),
  );
export const pathOf = (name: PartName, field: string): string =>
  `${ssoName(name) === null ? '' : 'sso.'}${name}.${field}`;
