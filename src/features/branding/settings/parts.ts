import type { ProviderSettings, SecretName } from '#contract/branding/settings.ts';
import type { TestedSystem } from '#contract/branding/settings-calls.ts';
import { settingsMessages as t } from './messages.en.ts';

/**
 * A form field. `many`: several lines. `switch`: `true` if it is on. `options`: allowed values. An
 * empty `optional` field is sent as null.
 */
export interface PartField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly wrong: string;
  readonly kind?: 'text' | 'number' | 'email' | 'url' | 'many' | 'switch';
  readonly optional?: true;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly first?: string;
}

export const PART_NAMES = [
  'mail',
  'sms',
  'directory',
  'oidc',
  'microsoft',
  'vac',
  'vcd',
  'zerto',
] as const satisfies readonly SecretName[];
export type PartName = (typeof PART_NAMES)[number];

/** An external system of this provider's portal: address, secret and how to test it. */
export interface SettingsPart {
  readonly title: string;
  readonly description: string;
  /** Describes what happens while it is not configured. */
  readonly without: string;
  /** Waiting messages are listed in the outbox while nothing can send them. */
  readonly outbox?: true;
  readonly fields: readonly PartField[];
  readonly secret: string;
  /** The test call; null if there is none. */
  readonly tried: TestedSystem | null;
  readonly tries: string;
}

const account = { kind: 'text', wrong: t.nameNotValid } as const;
const address = {
  kind: 'url',
  wrong: t.urlNotValid,
} as const;

export const PARTS: Readonly<Record<PartName, SettingsPart>> = {
  mail: {
    title: t.mail,
    description: t.mailHint,
    without: t.mailWithout,
    outbox: true,
    fields: [
      {
        name: 'host',
        label: t.server,
        hint: t.serverHint,
        kind: 'text',
        wrong: t.hostMissing,
      },
      {
        name: 'port',
        label: t.port,
        kind: 'number',
        first: '587',
        wrong: t.portNotValid,
      },
      {
        name: 'security',
        label: t.encryption,
        first: 'starttls',
        wrong: t.optionMissing,
        options: [
          { value: 'starttls', label: t.starttls },
          { value: 'tls', label: t.implicitTls },
          { value: 'none', label: t.noEncryption },
        ],
      },
      {
        name: 'username',
        label: t.username,
        hint: t.usernameHint,
        optional: true,
        ...account,
      },
      {
        name: 'from',
        label: t.senderAddress,
        kind: 'email',
        wrong: t.senderNotValid,
      },
      {
        name: 'fromName',
        label: t.senderName,
        hint: t.senderNameHint,
        optional: true,
        ...account,
      },
    ],
    secret: t.password,
    tried: 'mail',
    tries: t.mailTest,
  },
  sms: {
    title: t.sms,
    description: t.smsHint,
    without: t.smsWithout,
    outbox: true,
    fields: [
      { name: 'url', label: t.url, hint: t.smsUrlHint, ...address },
      { name: 'account', label: t.account, ...account },
      {
        name: 'from',
        label: t.sender,
        hint: t.senderHint,
        ...account,
      },
    ],
    secret: t.token,
    tried: 'sms',
    tries: t.smsTest,
  },
  directory: {
    title: t.directory,
    description: t.directoryHint,
    without: t.directoryWithout,
    fields: [
      {
        name: 'url',
        label: t.url,
        hint: t.directoryUrlHint,
        kind: 'url',
        wrong: t.directoryUrlNotValid,
      },
      {
        name: 'baseDn',
        label: t.baseDn,
        hint: t.baseDnHint,
        kind: 'text',
        wrong: t.dnNotValid,
      },
      { name: 'domain', label: t.domain, hint: t.domainHint, ...account },
      {
        name: 'serviceDn',
        label: t.serviceAccount,
        hint: t.serviceAccountHint,
        kind: 'text',
        wrong: t.dnNotValid,
      },
      {
        name: 'ca',
        label: t.certificateAuthority,
        hint: t.certificateHint,
        kind: 'many',
        optional: true,
        wrong: t.certificateNotValid,
      },
    ],
    secret: t.servicePassword,
    tried: 'directory',
    tries: t.directoryTest,
  },
  oidc: {
    title: t.openIdConnect,
    description: t.oidcHint,
    without: t.oidcWithout,
    fields: [
      {
        name: 'issuer',
        label: t.issuer,
        hint: t.issuerHint,
        ...address,
      },
      { name: 'clientId', label: t.clientId, ...account },
      {
        name: 'label',
        label: t.accountName,
        hint: t.accountNameHint,
        first: 'OpenID Connect',
        ...account,
      },
      {
        name: 'trustsFactor',
        label: t.trustFactor,
        hint: t.trustFactorHint,
        kind: 'switch',
        first: 'false',
        wrong: t.optionMissing,
      },
    ],
    secret: t.clientSecret,
    tried: 'oidc',
    tries: t.oidcTest,
  },
  microsoft: {
    title: t.microsoft,
    description: t.microsoftHint,
    without: t.microsoftWithout,
    fields: [
      {
        name: 'clientId',
        label: t.clientId,
        hint: t.microsoftClientHint,
        kind: 'text',
        wrong: t.microsoftClientNotValid,
      },
    ],
    secret: t.clientSecret,
    tried: null,
    tries: t.microsoftTest,
  },
  vac: {
    title: t.veeamServiceProviderConsole,
    description: t.ssoHint,
    without: t.ssoWithout,
    fields: [{ name: 'url', label: t.url, ...address }],
    secret: t.apiKey,
    tried: null,
    tries: t.ssoTest,
  },
  vcd: {
    title: t.vmwareCloudDirector,
    description: t.ssoHint,
    without: t.ssoWithout,
    fields: [
      { name: 'url', label: t.url, ...address },
      { name: 'organization', label: t.organization, ...account },
    ],
    secret: t.refreshToken,
    tried: null,
    tries: t.ssoTest,
  },
  zerto: {
    title: t.zerto,
    description: t.zertoHint,
    without: t.ssoWithout,
    fields: [
      { name: 'url', label: t.cloudManagerUrl, ...address },
      { name: 'zssp', label: t.selfServiceUrl, ...address },
      { name: 'username', label: t.username, ...account },
    ],
    secret: t.password,
    tried: null,
    tries: t.ssoTest,
  },
};

const SSO = ['vac', 'vcd', 'zerto'] as const;
const ssoName = (name: PartName): (typeof SSO)[number] | null =>
  SSO.find((one) => one === name) ?? null;

type StoredPart = Readonly<Record<string, unknown>>;
/** Returns the stored settings of a system, or null if it is not configured. */
export function getStoredPart(settings: ProviderSettings, name: PartName): StoredPart | null {
  const sso = ssoName(name);
  const stored =
    sso === null ? settings[name as Exclude<PartName, (typeof SSO)[number]>] : settings.sso?.[sso];
  return stored ?? null;
}

export type PartDraft = Readonly<Record<string, string>>;
export const getPartDraft = (settings: ProviderSettings, name: PartName): PartDraft => {
  const stored = getStoredPart(settings, name);
  return Object.fromEntries(
    PARTS[name].fields.map((field) => {
      const value = stored?.[field.name];
      return [
        field.name,
        stored === null
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

/** Returns the complete input of the call, including stored values without a field (a scope). */
export function getPartInput(
  settings: ProviderSettings,
  name: PartName,
  draft: PartDraft,
): Partial<Record<keyof ProviderSettings, unknown>> {
  const value = {
    ...getStoredPart(settings, name),
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

/** Returns the settings without this system. */
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

/** Maps the path of an issue in the input to the field's message. */
export const getErrorTexts = (name: PartName): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PARTS[name].fields.flatMap(({ name: field, wrong }) => [[getFieldPath(name, field), wrong]]),
  );
export const getFieldPath = (name: PartName, field: string): string =>
  `${ssoName(name) === null ? '' : 'sso.'}${name}.${field}`;
