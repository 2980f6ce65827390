import type { CallName } from './calls.ts';

/**
 * What a call asks of a person beyond its ability.
 *
 * - `sensitive`: a factor was shown within the last five minutes (G44). It opens the provider, an account or data to somebody, sends data to an
 *   outside address, takes data about people out at once, or cannot be undone.
 * - `partly sensitive`: only some changes are; the handler decides.
 * - `never while acting`: refused while somebody is signed in as another user (G42).
 *
 * What is sensitive is never done while acting either: nobody lends a factor. No API key makes any of them.
 */
export type CallClass = 'plain' | 'never while acting' | 'sensitive, never while acting' | 'partly sensitive, never while acting';

/** The class of every call, apart from the calls, so that a new one does not compile before somebody has decided. */
export const CALL_CLASSES: Readonly<Record<CallName, CallClass>> = {
  getBranding: 'plain', loginDb: 'plain', loginAd: 'plain', loginDbSms: 'plain', loginAdSms: 'plain',
  loginDbPhone: 'plain', loginAdPhone: 'plain', loginDbResend: 'plain', loginAdResend: 'plain', loginFactor: 'plain',
  loginPasskeyOptions: 'plain', loginPasskey: 'plain', loginStep: 'plain', loginEnrol: 'plain', refresh: 'plain',
  logout: 'plain', reauthOptions: 'never while acting', reauthCode: 'never while acting',
  reauth: 'never while acting', getFactors: 'never while acting', beginTotp: 'sensitive, never while acting',
  confirmTotp: 'sensitive, never while acting', removeTotp: 'sensitive, never while acting',
  renewRecoveryCodes: 'sensitive, never while acting', setSms: 'sensitive, never while acting',
  passkeyOptions: 'sensitive, never while acting', addPasskey: 'sensitive, never while acting',
  removePasskey: 'sensitive, never while acting', prefer: 'plain', bootstrap: 'plain', runsOfDay: 'plain',
  events: 'plain', stream: 'plain', lastSync: 'plain', getExecution: 'plain', changeExecution: 'plain',
  changeExecutions: 'plain', listKeys: 'plain', makeKey: 'sensitive, never while acting',
  rotateKey: 'sensitive, never while acting', revokeKey: 'plain', ignoreMissed: 'plain', heedMissed: 'plain',
  ignoreDisabled: 'plain', heedDisabled: 'plain', listComputers: 'plain', listComputersNow: 'plain',
  noteComputer: 'plain', ignoreComputer: 'plain', heedComputer: 'plain', listRepositories: 'plain',
  saveView: 'plain', removeView: 'plain', endShift: 'plain', listEvidence: 'plain', listResults: 'plain',
  listJobNames: 'plain', listDidNotRun: 'plain', chartResults: 'plain', rankFailures: 'plain', rankDuration: 'plain',
  rankTransferred: 'plain', overviewStats: 'plain', spreadsheetReport: 'plain', spreadsheetStats: 'plain',
  analytics: 'plain', chartFailures: 'plain', repositoryTrends: 'plain', repositoryHistory: 'plain',
  exportResults: 'plain', listRules: 'plain', makeRule: 'plain', changeRules: 'plain', removeRule: 'plain',
  testRule: 'plain', listHints: 'plain', hintsAtHand: 'plain', makeHint: 'plain', changeHint: 'plain',
  removeHint: 'plain', hintHelped: 'plain', saveSlaAlarm: 'plain', changeSlaAlarm: 'plain', getSlaAlarm: 'plain',
  listSlaAlarms: 'plain', removeSlaAlarm: 'plain', slaReport: 'plain', search: 'plain',
  getNotify: 'never while acting', saveNotify: 'never while acting', sendDigest: 'never while acting',
  addPushDevice: 'sensitive, never while acting', keepPushDevice: 'never while acting',
  removePushDevice: 'never while acting', tryPushDevice: 'never while acting', listWebhooks: 'plain',
  makeWebhook: 'sensitive, never while acting', changeWebhook: 'sensitive, never while acting',
  removeWebhook: 'plain', renewWebhookSecret: 'sensitive, never while acting', testWebhook: 'never while acting',
  listDeliveries: 'plain', redeliver: 'plain', listLicensing: 'plain', listCompanyLicensing: 'plain',
  ownSubscriptions: 'plain', exportLicensing: 'plain', listInvoices: 'plain', getInvoice: 'plain',
  invoicePdf: 'plain', exportInvoices: 'plain', getQuickBooks: 'plain',
  setQuickBooks: 'sensitive, never while acting', beginQuickBooks: 'sensitive, never while acting',
  finishQuickBooks: 'never while acting', testQuickBooks: 'never while acting',
  removeQuickBooks: 'sensitive, never while acting', listCustomers: 'plain', setCustomers: 'plain',
  ingestExecutions: 'plain', ingestEvents: 'plain', ingestRepositories: 'plain', ingestComputers: 'plain',
  ingestRestic: 'plain', ingestBorg: 'plain', ingestRclone: 'plain', ingestBacula: 'plain', ingestKopia: 'plain',
  ingestDuplicati: 'plain', listConnections: 'plain', makeConnection: 'sensitive, never while acting',
  editConnection: 'sensitive, never while acting', deleteConnection: 'sensitive, never while acting',
  testConnection: 'never while acting', syncConnection: 'plain', foundByConnection: 'plain',
  validateUsername: 'plain', validateAnswers: 'plain', unlockAccount: 'plain', resetPassword: 'plain',
  forgotPassword: 'plain', checkPasswordLink: 'plain', checkPasswordLinkSent: 'plain', changePasswordByLink: 'plain',
  readProfile: 'plain', editProfile: 'partly sensitive, never while acting',
  changePasswordAd: 'sensitive, never while acting', changePasswordDb: 'sensitive, never while acting',
  confirmEmail: 'plain', sendEmailLink: 'never while acting',
  setSecurityQuestions: 'sensitive, never while acting', listSessions: 'never while acting',
  endSession: 'sensitive, never while acting', readOwnApiKey: 'plain', listApiKeys: 'never while acting',
  makeApiKey: 'sensitive, never while acting', revokeApiKey: 'sensitive, never while acting',
  listUserApiKeys: 'plain', revokeUserApiKey: 'sensitive, never while acting',
  loginAs: 'sensitive, never while acting', exitLoginAs: 'plain', loginToken: 'plain', oidcStart: 'plain',
  oidcCallback: 'plain', validateSso: 'never while acting', listUsers: 'plain',
  exportUsers: 'sensitive, never while acting', createUser: 'sensitive, never while acting',
  editUser: 'partly sensitive, never while acting', deleteUser: 'sensitive, never while acting',
  removeUser: 'sensitive, never while acting', addUserAccount: 'never while acting',
  removeUserAccount: 'never while acting', resetFactors: 'sensitive, never while acting',
  setPasswordDb: 'sensitive, never while acting', setPasswordAd: 'sensitive, never while acting',
  listUserLogs: 'plain', exportUserLogs: 'sensitive, never while acting', listCompanies: 'plain',
  reportCompanies: 'plain', getCompany: 'plain', createCompany: 'plain', editCompany: 'plain',
  deleteCompany: 'sensitive, never while acting', companiesOfVac: 'plain', usersToNotify: 'plain',
  exportCompanies: 'sensitive, never while acting', listProviders: 'plain',
  createProvider: 'sensitive, never while acting', setHosts: 'sensitive, never while acting',
  inviteUser: 'sensitive, never while acting', acceptInvitation: 'plain', chatToken: 'never while acting',
  validateVacId: 'plain', ipLocation: 'plain', listNotifications: 'plain', ackNotification: 'plain',
  publishNotification: 'plain', publishedNotifications: 'plain', endNotification: 'plain',
  editBranding: 'sensitive, never while acting', brandingOf: 'plain', putBrandAsset: 'plain',
  getProviderSettings: 'plain', setProviderSettings: 'sensitive, never while acting',
  setProviderSecret: 'sensitive, never while acting', tryProviderSettings: 'never while acting',
  adminOverview: 'plain', adminEvents: 'plain', exportAdminEvents: 'sensitive, never while acting',
  listReportSettings: 'plain', makeReportSetting: 'plain', changeReportSetting: 'plain',
  removeReportSetting: 'plain', listReportTemplates: 'plain', sendReport: 'plain', previewReport: 'plain',
  listSentReports: 'plain', openSentReport: 'plain', reportFile: 'plain', makeTicket: 'plain', makeTickets: 'plain',
  adoptTicket: 'plain', listTickets: 'plain', getTicketForm: 'plain', getTicket: 'plain', changeTicket: 'plain',
  deleteTicket: 'plain', reportTickets: 'plain', connectwiseCompanies: 'plain', connectwiseContacts: 'plain',
  connectwiseMembers: 'plain', connectwiseTickets: 'plain', autotaskAccounts: 'plain', autotaskResources: 'plain',
  getTicketing: 'plain', setTicketing: 'sensitive, never while acting', testTicketing: 'never while acting',
  listMappings: 'plain', setMappings: 'plain', checkMappings: 'plain', sendSupport: 'never while acting',
  listSupport: 'plain',
};

export const requiresRecentFactor = (name: CallName): boolean => CALL_CLASSES[name] === 'sensitive, never while acting';
export const mayRequireRecentFactor = (name: CallName): boolean => requiresRecentFactor(name) || CALL_CLASSES[name] === 'partly sensitive, never while acting';
export const forbidsActing = (name: CallName): boolean => CALL_CLASSES[name] !== 'plain';
