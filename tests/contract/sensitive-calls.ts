import type { CallName } from '#contract/calls.ts';

/**
 * By hand, from the words of the goals G44 and G42 and of the rule behind them: what has to be
 * sensitive, and why.
 */
export const SENSITIVE: Readonly<Record<string, readonly CallName[]>> = {
  'password, e-mail, phone and ways in of the own account': [
    'changePasswordDb',
    'changePasswordAd',
    'setSms',
    'beginTotp',
    'confirmTotp',
    'removeTotp',
    'renewRecoveryCodes',
    'passkeyOptions',
    'addPasskey',
    'removePasskey',
    'setSecurityQuestions',
    'endSession',
  ],
  'ways into accounts of others': [
    'createUser',
    'setPasswordDb',
    'setPasswordAd',
    'resetFactors',
    'deleteUser',
    'removeUser',
    'revokeUserApiKey',
    'inviteUser',
    'loginAs',
  ],
  'secrets with which programs get in': ['makeApiKey', 'revokeApiKey', 'makeKey', 'rotateKey'],
  'data to an outside address': [
    'makeWebhook',
    'changeWebhook',
    'renewWebhookSecret',
    'addPushDevice',
    'makeConnection',
    'editConnection',
    'deleteConnection',
    'setTicketing',
    'setProviderSettings',
    'setProviderSecret',
    'editBranding',
  ],
  'billing': ['setQuickBooks', 'beginQuickBooks', 'removeQuickBooks'],
  'mass download of people': [
    'exportUsers',
    'exportUserLogs',
    'exportCompanies',
    'exportAdminEvents',
    'exportSuiteConsumption',
  ],
  'tenants, and backups that may be deleted': [
    'createOrganization',
    'updateOrganization',
    'deleteOrganization',
    'importServer',
    'renewCertificate',
    'requestRestoreDeviceCode',
    'createBackupRepository',
    'deleteBackupRepository',
    'attachBackupRepository',
  ],
  'companies and providers': ['deleteCompany', 'createProvider', 'setHosts'],
};

/**
 * Of these some changes are sensitive: user name, address and numbers, more roles or companies; a
 * password of backups, or keeping them for a shorter time; a restore to another place, or of many
 * items; a large download; the grant of rights to write, but not the wait for it.
 */
export const PARTLY: readonly CallName[] = [
  'editUser',
  'editProfile',
  'updateBackupRepository',
  'requestRestoreToken',
  'restoreMailbox',
  'restoreMailFolder',
  'restoreMailItems',
  'restoreDrive',
  'restoreDriveFolder',
  'restoreDocuments',
  'restoreSite',
  'restoreList',
  'restoreLibrary',
  'restoreSiteFolder',
  'restoreSiteDocuments',
  'restoreSiteItems',
  'downloadMailbox',
  'downloadMailFolder',
  'downloadMailItems',
  'downloadDrive',
  'downloadDriveFolder',
  'downloadDocuments',
  'downloadLibrary',
  'downloadSiteFolder',
  'downloadSiteDocuments',
];

/** Beside all of those: a person's own affairs, and trying an outside address. */
export const NEVER_WHILE_ACTING: readonly CallName[] = [
  'reauthOptions',
  'reauthCode',
  'reauth',
  'getFactors',
  'listSessions',
  'sendEmailLink',
  'listApiKeys',
  'validateSso',
  'chatToken',
  'sendSupport',
  'addUserAccount',
  'removeUserAccount',
  'getNotify',
  'saveNotify',
  'sendDigest',
  'keepPushDevice',
  'removePushDevice',
  'tryPushDevice',
  'finishQuickBooks',
  'testQuickBooks',
  'testTicketing',
  'testWebhook',
  'testConnection',
  'tryProviderSettings',
  'requestAppDeviceCode',
  'requestDeviceCode',
  'checkDeviceCode',
  'undoRestoreTask',
  'createMailPreview',
  'getBackgroundDownloadFile',
];

export const ALL_SENSITIVE: readonly CallName[] = Object.values(SENSITIVE).flat();
