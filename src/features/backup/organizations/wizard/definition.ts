import type { InputOf, OutputOf } from '#contract/calls.ts';
import type { RetentionPolicy } from '#contract/backup/retention.ts';
import { REGIONS } from '#contract/backup/organizations.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Issue } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import type { WizardDefinition } from '#machines/wizard.ts';
import { findPasswordErrors } from '../../repositories/password-issues.ts';
import { findLockErrors, findStorageErrors, readStorage } from '../../repositories/storage-form.ts';
import { EMPTY_STORAGE_DATA, getStorage, getStoragePath } from './storage-data.ts';
import type { StorageData } from './storage-data.ts';
import { organizationWizardMessages as t } from './messages.en.ts';

type Listed = OutputOf<'getOrganization'>;
export type WizardRegion = OrganizationRow['region'];

type Services = Pick<
  OrganizationRow,
  'isExchangeOnline' | 'isSharePointOnline' | 'isTeamsOnline' | 'isTeamsChatsOnline'
>;

/** What the wizard of an organization collects. Empty texts mean no value. */
export interface OrganizationData extends StorageData {
  /** Null: a new one. */
  readonly id: string | null;
  readonly companyN: number | null;
  /** The services that are backed up already. */
  readonly stored: Services;
  readonly name: string;
  readonly isExchangeOnline: boolean;
  readonly isSharePointOnline: boolean;
  readonly isTeamsOnline: boolean;
  readonly isTeamsChatsOnline: boolean;
  readonly region: WizardRegion;
  readonly auth: 'basic' | 'modern';
  /** Modern sign-in with legacy protocols. */
  readonly legacy: boolean;
  readonly application: 'new' | 'existing' | 'keep';
  readonly newApplicationName: string;
  readonly applicationId: string;
  readonly applicationSecret: string;
  readonly officeOrganizationName: string;
  readonly configureApplication: boolean;
  readonly sharePointSaveAllWebParts: boolean;
  readonly exchangeAccount: string;
  readonly exchangePassword: string;
  readonly exchangeGrantAdminAccess: boolean;
  readonly sharePointAccount: string;
  readonly sharePointPassword: string;
  readonly sharePointGrantAdminAccess: boolean;
  /** The id of a granted device code. */
  readonly deviceCode: string | null;
  readonly hasRepository: boolean;
  readonly repository: string;
  readonly hasOwnPassword: boolean;
  readonly password: string;
  readonly repeatPassword: string;
  readonly passwordDescription: string;
  readonly retentionPolicy: RetentionPolicy;
}

const EMPTY: OrganizationData = {
  id: null,
  companyN: null,
  stored: {
    isExchangeOnline: false,
    isSharePointOnline: false,
    isTeamsOnline: false,
    isTeamsChatsOnline: false,
  },
  name: '',
  isExchangeOnline: true,
  isSharePointOnline: true,
  isTeamsOnline: true,
  isTeamsChatsOnline: false,
  region: REGIONS[0],
  auth: 'modern',
  legacy: false,
  application: 'new',
  newApplicationName: '',
  applicationId: '',
  applicationSecret: '',
  officeOrganizationName: '',
  configureApplication: true,
  sharePointSaveAllWebParts: true,
  exchangeAccount: '',
  exchangePassword: '',
  exchangeGrantAdminAccess: false,
  sharePointAccount: '',
  sharePointPassword: '',
  sharePointGrantAdminAccess: false,
  deviceCode: null,
  hasRepository: true,
  repository: '',
  hasOwnPassword: false,
  password: '',
  repeatPassword: '',
  passwordDescription: '',
  retentionPolicy: 'Years3',
  ...EMPTY_STORAGE_DATA,
};

/** What the backup engine of the provider supports. */
export type Supported = Pick<OutputOf<'getSuiteVersion'>, 'authTypes' | 'services'>;

const SERVICE_FIELDS = {
  exchange: 'isExchangeOnline',
  sharepoint: 'isSharePointOnline',
  teams: 'isTeamsOnline',
  teamsChats: 'isTeamsChatsOnline',
} as const satisfies Record<Supported['services'][number], keyof OrganizationData>;

/** Leaves out services that the engine doesn't support, and begins with a sign-in that it does. */
export const withSupported = <D extends Partial<OrganizationData>>(
  data: D,
  { authTypes, services }: Supported,
): D => ({
  ...data,
  legacy: !authTypes.includes('modern') && authTypes.includes('modernLegacy'),
  ...Object.fromEntries(
    Object.entries(SERVICE_FIELDS).flatMap(([service, field]) =>
      services.some((one) => one === service) ? [] : [[field, false]],
    ),
  ),
});

type Variant = 'modern' | 'legacy' | 'basic';
export const WIZARD_AUTH_TYPES = {
  modern: 'modern',
  legacy: 'modernLegacy',
  basic: 'basic',
} as const satisfies Record<Variant, Supported['authTypes'][number]>;
export const getVariant = ({ auth, legacy }: Pick<OrganizationData, 'auth' | 'legacy'>): Variant =>
  auth === 'basic' ? 'basic' : legacy ? 'legacy' : 'modern';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;
const DOMAIN = /^[^\s@./]+(\.[^\s@./]+)+$/;

const missing = (isMissing: boolean, path: keyof OrganizationData, message: string): Issue[] =>
  isMissing ? [{ path, message }] : [];
const accountIssues = (
  data: OrganizationData,
  account: 'exchangeAccount' | 'sharePointAccount',
  password: 'exchangePassword' | 'sharePointPassword',
): Issue[] => [
  ...missing(!EMAIL.test(data[account].trim()), account, t.accountInvalid),
  ...missing(data[password] === '' && data.id === null, password, t.passwordMissing),
];
const isNot =
  (...variants: readonly Variant[]) =>
  (data: OrganizationData): boolean =>
    !variants.includes(getVariant(data));
const addsService = ({ stored, ...data }: OrganizationData): boolean =>
  Object.values(SERVICE_FIELDS).some(
    (field) =>
      data[field] && !stored[field] && (field !== 'isTeamsChatsOnline' || data.isTeamsOnline),
  );
/** The permissions for a new service need a sign-in, in the current application too. */
export const needsSignIn = (data: OrganizationData): boolean =>
  getVariant(data) === 'modern' && (data.application !== 'keep' || addsService(data));
const usesSharePoint = (data: OrganizationData): boolean =>
  data.isSharePointOnline || data.isTeamsOnline;

/**
 * The organization wizard of the specification. The ids of the steps are the ends of their
 * addresses: `organizations/new/4a/modern`.
 */
export const ORGANIZATION_WIZARD: WizardDefinition<OrganizationData> = {
  id: 'organization',
  empty: EMPTY,
  secrets: [
    'applicationSecret',
    'exchangePassword',
    'sharePointPassword',
    'password',
    'repeatPassword',
    'secretAccessKey',
    'deviceCode',
  ],
  steps: [
    {
      id: '1',
      fields: [
        'companyN',
        'name',
        'isExchangeOnline',
        'isSharePointOnline',
        'isTeamsOnline',
        'isTeamsChatsOnline',
        'region',
        'auth',
        'legacy',
      ],
      check: (data) => [
        ...missing(data.companyN === null, 'companyN', t.companyMissing),
        ...missing(data.name.trim() === '', 'name', t.nameMissing),
        ...missing(
          !data.isExchangeOnline && !data.isSharePointOnline && !data.isTeamsOnline,
          'isExchangeOnline',
          t.serviceMissing,
        ),
      ],
    },
    {
      id: '3/modern',
      fields: ['application'],
      check: () => [],
      skip: isNot('modern'),
      dependsOn: ['auth', 'legacy'],
    },
    {
      id: '3/basic',
      fields: ['exchangeAccount', 'exchangePassword', 'exchangeGrantAdminAccess'],
      check: (data) => accountIssues(data, 'exchangeAccount', 'exchangePassword'),
      skip: (data) => isNot('basic')(data) || !data.isExchangeOnline,
      dependsOn: ['auth', 'isExchangeOnline'],
    },
    {
      id: '3/legacy',
      fields: ['applicationId', 'applicationSecret'],
      check: (data) => [
        ...missing(!UUID.test(data.applicationId.trim()), 'applicationId', t.applicationIdInvalid),
        ...missing(
          data.applicationSecret === '' && data.id === null,
          'applicationSecret',
          t.secretMissing,
        ),
      ],
      skip: isNot('legacy'),
      dependsOn: ['auth', 'legacy'],
    },
    {
      id: '4/basic',
      fields: ['sharePointAccount', 'sharePointPassword', 'sharePointGrantAdminAccess'],
      check: (data) => accountIssues(data, 'sharePointAccount', 'sharePointPassword'),
      skip: (data) => isNot('basic')(data) || !usesSharePoint(data),
      dependsOn: ['auth', 'isSharePointOnline', 'isTeamsOnline'],
    },
    {
      // No service accounts: the application reads all services.
      id: '4/legacy',
      fields: ['officeOrganizationName'],
      check: ({ officeOrganizationName }) =>
        missing(
          !DOMAIN.test(officeOrganizationName.trim()),
          'officeOrganizationName',
          t.officeNameMissing,
        ),
      skip: isNot('legacy'),
      dependsOn: ['auth', 'legacy'],
    },
    {
      id: '4a/modern',
      fields: ['newApplicationName', 'sharePointSaveAllWebParts'],
      check: ({ newApplicationName }) =>
        missing(newApplicationName.trim() === '', 'newApplicationName', t.applicationNameMissing),
      skip: (data) => isNot('modern')(data) || data.application !== 'new',
      dependsOn: ['application'],
    },
    {
      id: '4b/modern',
      fields: [
        'applicationId',
        'officeOrganizationName',
        'configureApplication',
        'sharePointSaveAllWebParts',
      ],
      check: (data) => [
        ...missing(!UUID.test(data.applicationId.trim()), 'applicationId', t.applicationIdInvalid),
        ...missing(
          data.officeOrganizationName.trim() === '',
          'officeOrganizationName',
          t.officeNameMissing,
        ),
      ],
      skip: (data) => isNot('modern')(data) || data.application !== 'existing',
      dependsOn: ['application'],
    },
    {
      id: '5/modern',
      fields: ['deviceCode'],
      check: ({ deviceCode }) => missing(deviceCode === null, 'deviceCode', t.codeMissing),
      skip: (data) => !needsSignIn(data),
      dependsOn: ['companyN', 'region', 'application'],
    },
    {
      id: 'repo',
      fields: [
        'hasRepository',
        'repository',
        'retentionPolicy',
        'hasOwnPassword',
        'password',
        'repeatPassword',
        'passwordDescription',
        'storage',
        'accessKeyId',
        'secretAccessKey',
      ],
      check: repositoryIssues,
      // Afterwards, repositories have their own page.
      skip: ({ id }) => id !== null,
    },
  ],
  // A code is for one company, in one cloud.
  adjust: (data, changes) =>
    'companyN' in changes || 'region' in changes ? { ...data, deviceCode: null } : data,
};

function repositoryIssues(data: OrganizationData): Issue[] {
  if (!data.hasRepository) return [];
  const errors = data.hasOwnPassword ? findPasswordErrors(data) : {};
  return [
    ...missing(data.repository.trim() === '', 'repository', t.repositoryNameMissing),
    ...Object.entries(errors).map(([path, message]) => ({ path, message })),
    ...Object.entries(findStorageErrors(getStorage(data))).map(([field, message]) => ({
      path: getStoragePath(field),
      message,
    })),
    ...Object.entries(findLockErrors(getStorage(data), data.retentionPolicy)).map(
      ([path, message]) => ({ path, message }),
    ),
  ];
}

/**
 * The specification's prefill of the first run: everything up to the device code. `names`: of the
 * portal and of the company.
 */
export const firstRunPrefill = (
  companyN: number,
  names: { readonly portal: string; readonly company: string },
): Partial<OrganizationData> => ({
  companyN,
  name: names.company,
  isExchangeOnline: true,
  isSharePointOnline: true,
  isTeamsOnline: true,
  isTeamsChatsOnline: false,
  region: REGIONS[0],
  auth: 'modern',
  legacy: false,
  application: 'new',
  newApplicationName: `${names.portal} ${names.company}`.slice(0, LIMITS.nameChars),
  repository: names.company,
});

/**
 * Returns the data of an existing organization. The sign-in method comes from what is stored: a
 * certificate means modern, an application without one modern with legacy protocols, otherwise
 * basic.
 */
export function organizationData(row: Listed): OrganizationData {
  const variant: Variant =
    row.certificate !== null ? 'modern' : row.applicationId !== null ? 'legacy' : 'basic';
  return {
    ...EMPTY,
    id: row.id,
    companyN: row.companyN,
    stored: {
      isExchangeOnline: row.isExchangeOnline,
      isSharePointOnline: row.isSharePointOnline,
      isTeamsOnline: row.isTeamsOnline,
      isTeamsChatsOnline: row.isTeamsChatsOnline,
    },
    name: row.name,
    isExchangeOnline: row.isExchangeOnline,
    isSharePointOnline: row.isSharePointOnline,
    isTeamsOnline: row.isTeamsOnline,
    isTeamsChatsOnline: row.isTeamsChatsOnline,
    region: row.region,
    auth: variant === 'basic' ? 'basic' : 'modern',
    legacy: variant === 'legacy',
    application: 'keep',
    applicationId: row.applicationId ?? '',
    officeOrganizationName: row.officeName,
    sharePointSaveAllWebParts: row.sharePointSaveAllWebParts,
    hasRepository: false,
  };
}

/** Returns the input of `updateOrganization`, without the id. */
export function organizationFields(
  data: OrganizationData,
): Omit<InputOf<'updateOrganization'>, 'organizationId'> {
  const variant = getVariant(data);
  const common = {
    name: data.name.trim(),
    region: data.region,
    isExchangeOnline: data.isExchangeOnline,
    isSharePointOnline: data.isSharePointOnline,
    isTeamsOnline: data.isTeamsOnline,
    isTeamsChatsOnline: data.isTeamsOnline && data.isTeamsChatsOnline,
  };
  const application = {
    officeOrganizationName: data.officeOrganizationName.trim(),
    ...(data.applicationId.trim() !== '' && { applicationId: data.applicationId.trim() }),
    ...(data.applicationSecret !== '' && { applicationSecret: data.applicationSecret }),
  };
  switch (variant) {
    case 'basic':
      return {
        ...common,
        authType: 'basic',
        ...(data.isExchangeOnline && {
          exchangeOnlineSettings: {
            ...account(data.exchangeAccount, data.exchangePassword),
            grantAdminAccess: data.exchangeGrantAdminAccess,
          },
        }),
        ...(usesSharePoint(data) && {
          sharePointOnlineSettings: {
            ...account(data.sharePointAccount, data.sharePointPassword),
            grantAdminAccess: data.sharePointGrantAdminAccess,
          },
        }),
      };
    case 'legacy':
      return {
        ...common,
        authType: 'modernLegacy',
        ...(data.isExchangeOnline && { exchangeOnlineSettings: application }),
        ...(usesSharePoint(data) && { sharePointOnlineSettings: application }),
      };
    case 'modern': {
      const isExisting = data.application === 'existing';
      const settings = {
        ...(isExisting && {
          applicationId: data.applicationId.trim(),
          officeOrganizationName: data.officeOrganizationName.trim(),
        }),
      };
      return {
        ...common,
        authType: 'modern',
        ...(data.deviceCode !== null && needsSignIn(data) && { userCode: data.deviceCode }),
        ...(data.application === 'new' && { newApplicationName: data.newApplicationName.trim() }),
        ...(isExisting && { configureApplication: data.configureApplication }),
        ...(data.isExchangeOnline && { exchangeOnlineSettings: settings }),
        ...(usesSharePoint(data) && {
          sharePointOnlineSettings: {
            ...settings,
            sharePointSaveAllWebParts: data.sharePointSaveAllWebParts,
          },
        }),
      };
    }
  }
}

const account = (name: string, password: string): { account?: string; password?: string } => ({
  ...(name.trim() !== '' && { account: name.trim() }),
  ...(password !== '' && { password }),
});

/** Returns the input of `createOrganization`. */
export const newOrganization = (data: OrganizationData): InputOf<'createOrganization'> => ({
  companyId: data.companyN ?? 0,
  type: 'Office365',
  ...organizationFields(data),
  ...(data.hasRepository && {
    repository: {
      repository: data.repository.trim(),
      retentionPolicy: data.retentionPolicy,
      storage: readStorage(getStorage(data)),
      passwordDescription: data.hasOwnPassword ? data.passwordDescription.trim() : '',
      ...(data.hasOwnPassword && {
        password: data.password,
        repeatPassword: data.repeatPassword,
      }),
    },
  }),
});
