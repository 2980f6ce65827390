import type { CallName } from './calls.ts';
import type { Failure } from './errors.ts';
import { MESSAGES } from './messages.ts';

/**
 * Returns the failure of a call with the sentence that the error catalog has for that call.
 * Messages of expected failures stay as the server sent them. For a server fault the catalog's
 * sentence replaces the message, except for calls in `SERVER_WORDS_FIRST`, which prefer the
 * server's own words. `status` and `body` are those of the HTTP response, if there was one.
 */
export function withCallSentence(
  name: CallName,
  failure: Failure,
  { status, body }: { readonly status: number; readonly body: unknown },
): Failure {
  const sentence = SENTENCES[name];
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
  'server-fault',
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
    words !== MESSAGES.serverFault &&
    words.length <= WORDS_CHARS
    ? words
    : null;
}
const WORDS_CHARS = 500;

const get = (what: string): string => `Error while trying to get the ${what}, try again later.`;
const change = (doing: string, what: string): string =>
  `Error while ${doing} the ${what}. Try again later.`;

/**
 * Sentences of the catalog. Calls that the catalog leaves out have sentences of the same pattern.
 */
const SENTENCES: Readonly<Partial<Record<CallName, string>>> = {
  // Sign-in and account
  loginDb: MESSAGES.loginFailed,
  loginAd: MESSAGES.loginFailed,
  loginDbSms: MESSAGES.loginFailed,
  loginAdSms: MESSAGES.loginFailed,
  loginDbPhone: MESSAGES.loginFailed,
  loginAdPhone: MESSAGES.loginFailed,
  loginDbResend: MESSAGES.loginFailed,
  loginAdResend: MESSAGES.loginFailed,
  loginFactor: MESSAGES.loginFailed,
  loginPasskeyOptions: MESSAGES.loginFailed,
  loginPasskey: MESSAGES.loginFailed,
  loginStep: MESSAGES.loginFailed,
  loginEnrol: MESSAGES.loginFailed,
  loginToken: MESSAGES.loginFailed,
  changePasswordDb: MESSAGES.changePassword,
  changePasswordAd: MESSAGES.changePassword,
  editProfile: MESSAGES.editProfile,
  validateUsername: MESSAGES.process,
  validateAnswers: MESSAGES.process,
  unlockAccount: MESSAGES.notUnlocked,
  resetPassword: MESSAGES.resetPassword,
  forgotPassword: MESSAGES.process,
  checkPasswordLink: MESSAGES.checkLink,
  checkPasswordLinkSent: MESSAGES.checkLink,
  changePasswordByLink: MESSAGES.changeByLink,
  setPasswordDb: MESSAGES.changeOnce,
  setPasswordAd: MESSAGES.changeOnce,
  setSecurityQuestions: MESSAGES.process,
  acceptInvitation: MESSAGES.process,
  confirmEmail: MESSAGES.process,
  readProfile: get('profile'),
  listSessions: get('sessions'),
  getFactors: get('sign-in methods'),
  listApiKeys: get('API keys'),
  listUserApiKeys: get('API keys'),
  getNotify: get('notification settings'),
  saveNotify: change('saving', 'notification settings'),
  listNotifications: get('notifications'),
  // Results
  changeExecution: MESSAGES.updateExecution,
  changeExecutions: MESSAGES.bulk,
  getExecution: MESSAGES.getExecution,
  ignoreMissed: MESSAGES.ignoreJob,
  heedMissed: MESSAGES.ignoreJob,
  ignoreDisabled: MESSAGES.ignoreJob,
  heedDisabled: MESSAGES.ignoreJob,
  listResults: MESSAGES.getJobs,
  listJobNames: MESSAGES.getJobs,
  listDidNotRun: MESSAGES.getJobs,
  chartResults: MESSAGES.getJobHistory,
  overviewStats: MESSAGES.getStats,
  spreadsheetStats: MESSAGES.getStats,
  spreadsheetReport: MESSAGES.getReport,
  rankFailures: MESSAGES.getRanking,
  rankDuration: MESSAGES.getRanking,
  rankTransferred: MESSAGES.getRanking,
  analytics: MESSAGES.getTrends,
  repositoryTrends: MESSAGES.getTrends,
  chartFailures: MESSAGES.getChart,
  listRepositories: MESSAGES.getRepositories,
  repositoryHistory: MESSAGES.getRepositoryHistory,
  lastSync: MESSAGES.getLastSync,
  listComputers: MESSAGES.getComputers,
  listComputersNow: MESSAGES.getComputerStatus,
  ignoreComputer: MESSAGES.ignoreComputer,
  heedComputer: MESSAGES.heedComputer,
  noteComputer: MESSAGES.noteComputer,
  listEvidence: get('evidence'),
  search: get('search results'),
  listKeys: get('sources'),
  listHints: get('hints'),
  hintsAtHand: get('hints'),
  makeHint: change('creating', 'hint'),
  changeHint: change('editing', 'hint'),
  removeHint: change('deleting', 'hint'),
  hintHelped: change('saving', 'feedback'),
  exportResults: MESSAGES.export,
  exportLicensing: MESSAGES.export,
  exportInvoices: MESSAGES.export,
  exportUsers: MESSAGES.export,
  exportUserLogs: MESSAGES.export,
  exportCompanies: MESSAGES.export,
  exportAdminEvents: MESSAGES.export,
  // Reports, SLA alarms, rules, tickets
  listReportSettings: MESSAGES.getReports,
  listReportTemplates: MESSAGES.getReports,
  listSentReports: MESSAGES.getReports,
  previewReport: MESSAGES.getReport,
  openSentReport: MESSAGES.getReport,
  reportFile: MESSAGES.getReport,
  makeReportSetting: MESSAGES.makeReport,
  changeReportSetting: MESSAGES.changeReport,
  removeReportSetting: MESSAGES.removeReport,
  sendReport: MESSAGES.sendReport,
  saveSlaAlarm: MESSAGES.saveSla,
  changeSlaAlarm: MESSAGES.saveSla,
  removeSlaAlarm: MESSAGES.removeSla,
  getSlaAlarm: get('SLA alarms'),
  listSlaAlarms: get('SLA alarms'),
  slaReport: MESSAGES.getReport,
  listRules: MESSAGES.getRules,
  makeRule: MESSAGES.makeRule,
  changeRules: change('editing', 'rule'),
  removeRule: change('deleting', 'rule'),
  testRule: MESSAGES.testRule,
  listTickets: MESSAGES.getTickets,
  reportTickets: MESSAGES.getTickets,
  getTicket: MESSAGES.getTickets,
  getTicketForm: MESSAGES.getTickets,
  makeTicket: MESSAGES.makeTicket,
  makeTickets: MESSAGES.makeTicket,
  adoptTicket: MESSAGES.changeTicket,
  changeTicket: MESSAGES.changeTicket,
  deleteTicket: MESSAGES.deleteTicket,
  getTicketing: get('ticketing settings'),
  listMappings: get('company mappings'),
  connectwiseTickets: MESSAGES.getTickets,
  connectwiseCompanies: MESSAGES.getCompanies,
  connectwiseContacts: get('contacts'),
  connectwiseMembers: get('members'),
  autotaskAccounts: get('accounts'),
  autotaskResources: get('members'),
  // Licenses, invoices, support
  listLicensing: MESSAGES.getLicenses,
  listCompanyLicensing: MESSAGES.getLicenses,
  ownSubscriptions: MESSAGES.getLicenses,
  listProviders: MESSAGES.getServiceProviders,
  listInvoices: MESSAGES.getInvoices,
  getInvoice: MESSAGES.getInvoices,
  invoicePdf: MESSAGES.getInvoices,
  listCustomers: get('customers'),
  getQuickBooks: get('QuickBooks connection'),
  sendSupport: MESSAGES.sendSupport,
  listSupport: MESSAGES.getSupport,
  // Sources and connections
  listConnections: MESSAGES.getConnections,
  foundByConnection: MESSAGES.getConnections,
  listWebhooks: MESSAGES.getWebhooks,
  listDeliveries: get('deliveries'),
  makeWebhook: MESSAGES.saveWebhook,
  changeWebhook: MESSAGES.saveWebhook,
  // Users, companies, administration
  listUsers: MESSAGES.getUsers,
  listUserLogs: MESSAGES.getUserLogs,
  createUser: MESSAGES.createUser,
  editUser: MESSAGES.editUser,
  addUserAccount: MESSAGES.editUser,
  removeUserAccount: MESSAGES.editUser,
  resetFactors: MESSAGES.editUser,
  revokeUserApiKey: MESSAGES.editUser,
  deleteUser: MESSAGES.deleteUser,
  removeUser: MESSAGES.deleteUser,
  listCompanies: MESSAGES.getCompanies,
  reportCompanies: MESSAGES.getCompanies,
  companiesOfVac: MESSAGES.getCompanies,
  getCompany: MESSAGES.getCompany,
  createCompany: MESSAGES.addCompany,
  editCompany: MESSAGES.editCompany,
  deleteCompany: MESSAGES.deleteCompany,
  usersToNotify: MESSAGES.getUsersToNotify,
  adminOverview: MESSAGES.getStats,
  adminEvents: get('events'),
  publishedNotifications: get('notices'),
  brandingOf: get('branding'),
  getProviderSettings: get('provider settings'),
};

/** Calls for which the specification prefers the server's message if there is one. */
const SERVER_WORDS_FIRST: ReadonlySet<CallName> = new Set([
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
