import type { CallName } from './calls.ts';
import type { Failure } from './errors.ts';
import { callFailureMessages } from './call-sentences.messages.en.ts';
import type { TextKey } from './i18n/labels.ts';
import { MESSAGES } from './messages.ts';

/**
 * Returns the failure of a call with the sentence that the error catalog has for that call.
 * Messages of expected failures stay as the server sent them. For a server error the catalog's
 * sentence replaces the message, except for calls in `SERVER_WORDS_FIRST`, which prefer the
 * server's own words. `status` and `body` are those of the HTTP response, if there was one.
 */
export function withCallSentence(
  name: CallName,
  failure: Failure,
  { status, body }: { readonly status: number; readonly body: unknown },
): Failure {
  const sentence = getSentence(name);
  const own = ownWords(body);
  if (status === 409 && name === 'editProfile')
    return { kind: 'conflict', message: MESSAGES.usernameTaken };
  // A refused sign-in with a message that isn't ours doesn't end a session.
  if (
    status === 401 &&
    failure.message === MESSAGES.sessionExpired &&
    sentence === MESSAGES.loginFailed
  )
    return { kind: 'wrong-credentials', message: own ?? sentence };
  if (sentence === undefined || !WITHOUT_WORDS.has(failure.kind)) return failure;
  return { ...failure, message: own !== null && SERVER_WORDS_FIRST.has(name) ? own : sentence };
}

/** Kinds of failure whose message doesn't describe the call. */
const WITHOUT_WORDS: ReadonlySet<Failure['kind']> = new Set([
  'server-error',
  'no-such-call',
  'no-answer',
]);

/**
 * Returns the server's own message, or null if there is none or it only says that something went
 * wrong. A database sign-in may respond with plain text.
 */
function ownWords(body: unknown): string | null {
  const fields: { readonly message?: unknown; readonly data?: unknown } =
    typeof body === 'object' && body !== null ? body : { data: body };
  const words =
    typeof fields.message === 'string' && fields.message.trim() !== ''
      ? fields.message
      : fields.data;
  return typeof words === 'string' &&
    words.trim() !== '' &&
    words !== MESSAGES.serverError &&
    words.length <= WORDS_CHARS
    ? words
    : null;
}
const WORDS_CHARS = 500;

/** Returns the sentence for a failure of the call, in the language of this moment. */
function getSentence(name: CallName): string | undefined {
  const key = SENTENCE_KEYS[name];
  if (key === undefined) return undefined;
  return isOwn(key) ? callFailureMessages[key] : MESSAGES[key];
}
const isOwn = (key: SentenceKey): key is keyof typeof callFailureMessages =>
  Object.hasOwn(callFailureMessages, key);

type SentenceKey = TextKey<typeof MESSAGES> | keyof typeof callFailureMessages;
/**
 * Sentences of the catalog. Calls that the catalog leaves out have sentences of the same pattern.
 */
const SENTENCE_KEYS: Readonly<Partial<Record<CallName, SentenceKey>>> = {
  // Sign-in and account
  loginDb: 'loginFailed',
  loginAd: 'loginFailed',
  loginDbSms: 'loginFailed',
  loginAdSms: 'loginFailed',
  loginDbPhone: 'loginFailed',
  loginAdPhone: 'loginFailed',
  loginDbResend: 'loginFailed',
  loginAdResend: 'loginFailed',
  loginFactor: 'loginFailed',
  loginPasskeyOptions: 'loginFailed',
  loginPasskey: 'loginFailed',
  loginStep: 'loginFailed',
  loginEnrol: 'loginFailed',
  loginToken: 'loginFailed',
  changePasswordDb: 'changePassword',
  changePasswordAd: 'changePassword',
  editProfile: 'editProfile',
  validateUsername: 'process',
  validateAnswers: 'process',
  unlockAccount: 'notUnlocked',
  resetPassword: 'resetPassword',
  forgotPassword: 'process',
  checkPasswordLink: 'checkLink',
  checkPasswordLinkSent: 'checkLink',
  changePasswordByLink: 'changeByLink',
  setPasswordDb: 'changeOnce',
  setPasswordAd: 'changeOnce',
  setSecurityQuestions: 'process',
  checkInvitation: 'checkLink',
  acceptInvitation: 'process',
  checkEmailLink: 'checkLink',
  confirmEmail: 'process',
  readProfile: 'getProfile',
  listSessions: 'getSessions',
  getFactors: 'getSignInMethods',
  listApiKeys: 'getApiKeys',
  listUserApiKeys: 'getApiKeys',
  getNotify: 'getNotificationSettings',
  saveNotify: 'saveNotificationSettings',
  listNotifications: 'getNotifications',
  // Results
  changeExecution: 'updateExecution',
  changeExecutions: 'bulk',
  getExecution: 'getExecution',
  ignoreMissed: 'ignoreJob',
  unignoreMissed: 'ignoreJob',
  ignoreDisabled: 'ignoreJob',
  unignoreDisabled: 'ignoreJob',
  listResults: 'getJobs',
  listJobNames: 'getJobs',
  listDidNotRun: 'getJobs',
  chartResults: 'getJobHistory',
  overviewStats: 'getStats',
  spreadsheetStats: 'getStats',
  spreadsheetReport: 'getReport',
  rankFailures: 'getRanking',
  rankDuration: 'getRanking',
  rankTransferred: 'getRanking',
  analytics: 'getTrends',
  repositoryTrends: 'getTrends',
  chartFailures: 'getChart',
  listRepositories: 'getRepositories',
  repositoryHistory: 'getRepositoryHistory',
  lastSync: 'getLastSync',
  listComputers: 'getComputers',
  listComputersNow: 'getComputerStatus',
  ignoreComputer: 'ignoreComputer',
  unignoreComputer: 'unignoreComputer',
  noteComputer: 'noteComputer',
  listEvidence: 'getEvidence',
  search: 'getSearchResults',
  listKeys: 'getSources',
  listHints: 'getHints',
  listApplicableHints: 'getHints',
  createHint: 'createHint',
  changeHint: 'editHint',
  removeHint: 'deleteHint',
  rateHint: 'saveFeedback',
  exportResults: 'export',
  exportLicensing: 'export',
  exportInvoices: 'export',
  exportUsers: 'export',
  exportUserLogs: 'export',
  exportCompanies: 'export',
  exportAdminEvents: 'export',
  exportSuiteLicensing: 'export',
  exportSuiteConsumption: 'export',
  // Sign-up and subscriptions
  getSignUpOptions: 'register',
  signUp: 'register',
  completeSignUp: 'register',
  resendSignUp: 'register',
  validateRecaptcha: 'register',
  startCheckout: 'register',
  verifySignUp: 'verifyEmail',
  updateCard: 'process',
  collectCard: 'process',
  subscribeByCard: 'process',
  payInvoiceOnline: 'process',
  getCheckoutResult: 'process',
  listSubscriptions: 'getSubscriptions',
  listAllSubscriptions: 'getSubscriptions',
  getSubscription: 'getSubscriptions',
  getBillingSettings: 'getSubscriptions',
  listServiceLevels: 'getSubscriptions',
  refreshUsage: 'getSubscriptions',
  updateUsage: 'updateSubscription',
  ackUsage: 'updateSubscription',
  unackUsage: 'updateSubscription',
  startSubscription: 'updateSubscription',
  cancelSubscription: 'updateSubscription',
  updateSubscription: 'updateSubscription',
  updateTrial: 'updateSubscription',
  setBillingSettings: 'updateSubscription',
  changeServiceLevel: 'process',
  rollbackSubscription: 'process',
  previewSubscription: 'process',
  writeOffCompanyDebt: 'process',
  deleteSubscriber: 'process',
  restoreDeletedCompany: 'process',
  listDeletedCompanies: 'getCompanies',
  exportSubscriptions: 'export',
  exportAllSubscriptions: 'export',
  // Reports, SLA alarms, rules, tickets
  listReportSettings: 'getReports',
  listReportTemplates: 'getReports',
  listSentReports: 'getReports',
  previewReport: 'getReport',
  openSentReport: 'getReport',
  getReportFile: 'getReport',
  createReportSetting: 'makeReport',
  changeReportSetting: 'changeReport',
  removeReportSetting: 'removeReport',
  sendReport: 'sendReport',
  saveSlaAlarm: 'saveSla',
  changeSlaAlarm: 'saveSla',
  removeSlaAlarm: 'removeSla',
  getSlaAlarm: 'getSlaAlarms',
  listSlaAlarms: 'getSlaAlarms',
  slaReport: 'getReport',
  listRules: 'getRules',
  createRule: 'createRule',
  changeRules: 'editRule',
  removeRule: 'deleteRule',
  testRule: 'testRule',
  listTickets: 'getTickets',
  reportTickets: 'getTickets',
  getTicket: 'getTickets',
  getTicketForm: 'getTickets',
  createTicket: 'createTicket',
  createTickets: 'createTicket',
  linkTicket: 'changeTicket',
  changeTicket: 'changeTicket',
  deleteTicket: 'deleteTicket',
  getTicketing: 'getTicketingSettings',
  listMappings: 'getCompanyMappings',
  connectwiseTickets: 'getTickets',
  connectwiseCompanies: 'getCompanies',
  connectwiseContacts: 'getContacts',
  connectwiseMembers: 'getMembers',
  autotaskAccounts: 'getAccounts',
  autotaskResources: 'getMembers',
  // Licenses, invoices, support
  listLicensing: 'getLicenses',
  listCompanyLicensing: 'getLicenses',
  listOwnSubscriptions: 'getLicenses',
  listSuiteLicensing: 'getLicenses',
  getLicenses: 'getLicenses',
  getLicenseActivity: 'getLicenses',
  listSuiteConsumption: 'getReport',
  getBackupStatus: 'getStats',
  getUsersStatus: 'getStats',
  listHighestStorageUsers: 'getStats',
  getRetentionStatus: 'getStats',
  listQuickBooksReps: 'getQuickBooksLists',
  listQuickBooksItems: 'getQuickBooksLists',
  listQuickBooksTaxes: 'getQuickBooksLists',
  getPrecalculatedQuantity: 'getSubscriptions',
  previewMonthInvoice: 'getInvoices',
  listProviders: 'getServiceProviders',
  listInvoices: 'getInvoices',
  getInvoice: 'getInvoices',
  invoicePdf: 'getInvoices',
  listCustomers: 'getCustomers',
  getQuickBooks: 'getQuickBooksConnection',
  sendSupport: 'sendSupport',
  listSupport: 'getSupport',
  // Backup
  updateBackupRepository: 'updateRepository',
  deleteBackupRepository: 'removeRepository',
  requestDeviceCode: 'getDeviceCode',
  requestAppDeviceCode: 'getDeviceCode',
  // Restore
  requestRestoreDeviceCode: 'getDeviceCode',
  stopRestoreSession: 'stopRestoreSession',
  listMailboxes: 'getMailboxes',
  listMailFolders: 'getFolders',
  listMailItems: 'getMailItems',
  createMailPreview: 'showMail',
  restoreMailbox: 'restoreMailbox',
  restoreMailFolder: 'restoreFolder',
  restoreMailItems: 'restoreMailItems',
  getMailDownloadSize: 'getDownloadSize',
  getDriveDownloadSize: 'getDownloadSize',
  listTeams: 'getTeams',
  listTeamChannels: 'getChannels',
  listTeamPosts: 'getPosts',
  listTeamFiles: 'getTeamFiles',
  listTeamTabs: 'getTabs',
  listTeamFolders: 'getFolders',
  listTeamItems: 'getPosts',
  createPostPreview: 'showPost',
  createFilePreview: 'showFile',
  restoreTeam: 'restoreTeam',
  restoreTeamChannel: 'restoreChannel',
  restoreTeamFiles: 'restoreTeamFiles',
  restoreTeamPosts: 'restorePosts',
  restoreTeamTabs: 'restoreTabs',
  downloadTeamFiles: 'downloadTeamFiles',
  getTeamDownloadSize: 'getDownloadSize',
  listDrives: 'getDrives',
  listDriveFolders: 'getFolders',
  listDocuments: 'getDocuments',
  listFolderDocuments: 'getDocuments',
  restoreDrive: 'restoreDrive',
  restoreDriveFolder: 'restoreFolder',
  restoreDocuments: 'restoreDocuments',
  downloadMailbox: 'downloadMailbox',
  downloadMailFolder: 'downloadFolder',
  downloadMailItems: 'downloadMailItems',
  downloadDrive: 'downloadDrive',
  downloadDriveFolder: 'downloadFolder',
  downloadDocuments: 'downloadDocuments',
  getSiteDownloadSize: 'getDownloadSize',
  listSites: 'getSites',
  listSiteContent: 'getSiteContent',
  listSiteFolders: 'getFolders',
  listSiteDocuments: 'getDocuments',
  listSiteItems: 'getMailItems',
  getSiteItem: 'getMailItems',
  restoreSite: 'restoreSite',
  restoreList: 'restoreList',
  restoreLibrary: 'restoreLibrary',
  restoreSiteFolder: 'restoreFolder',
  restoreSiteDocuments: 'restoreDocuments',
  restoreSiteItems: 'restoreMailItems',
  downloadLibrary: 'downloadLibrary',
  downloadSiteFolder: 'downloadFolder',
  downloadSiteDocuments: 'downloadDocuments',
  listRestorePoints: 'getRestorePoints',
  openRestoreSession: 'openRestoreSession',
  // Sources and connections
  listConnections: 'getConnections',
  listConnectionEntities: 'getConnections',
  listWebhooks: 'getWebhooks',
  listDeliveries: 'getDeliveries',
  createWebhook: 'saveWebhook',
  changeWebhook: 'saveWebhook',
  // Users, companies, administration
  listUsers: 'getUsers',
  listUserLogs: 'getUserLogs',
  createUser: 'createUser',
  editUser: 'editUser',
  addUserAccount: 'editUser',
  removeUserAccount: 'editUser',
  resetFactors: 'editUser',
  revokeUserApiKey: 'editUser',
  deleteUser: 'deleteUser',
  removeUser: 'deleteUser',
  listCompanies: 'getCompanies',
  reportCompanies: 'getCompanies',
  listVacCompanies: 'getCompanies',
  getCompany: 'getCompany',
  createCompany: 'addCompany',
  editCompany: 'editCompany',
  deleteCompany: 'deleteCompany',
  listUsersToNotify: 'getUsersToNotify',
  getAdminOverview: 'getStats',
  listAdminEvents: 'getEvents',
  listPublishedNotifications: 'getNotices',
  getProviderBranding: 'getBranding',
  getProviderSettings: 'getProviderSettings',
};

/** Calls for which the specification prefers the server's message if there is one. */
const SERVER_WORDS_FIRST: ReadonlySet<CallName> = new Set([
  'verifySignUp',
  'changeServiceLevel',
  'rollbackSubscription',
  'updateBackupRepository',
  'deleteBackupRepository',
  'openRestoreSession',
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
  'restoreTeam',
  'restoreTeamChannel',
  'restoreTeamFiles',
  'restoreTeamPosts',
  'restoreTeamTabs',
  'loginDb',
  'loginAd',
  'loginDbSms',
  'loginAdSms',
  'loginDbPhone',
  'loginAdPhone',
  'loginDbResend',
  'loginAdResend',
  'loginFactor',
  'loginPasskeyOptions',
  'loginPasskey',
  'loginStep',
  'loginEnrol',
  'loginToken',
  'changePasswordAd',
  'changeExecutions',
  'createUser',
  'editUser',
  'addUserAccount',
  'removeUserAccount',
  'resetFactors',
  'revokeUserApiKey',
  'deleteUser',
  'removeUser',
]);
