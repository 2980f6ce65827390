import type { CallName } from '#contract/calls.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';

/**
 * The calls that fail with a sentence when the server answers 500 and says nothing. Typed by hand
 * from the specification, typos included.
 */
export const CATALOGUE: readonly (readonly [sentence: string, ...calls: readonly CallName[]])[] = [
  // Account
  ['Sorry, change password failed.', 'changePasswordDb', 'changePasswordAd'],
  ['Sorry, edit profile failed', 'editProfile'],
  ['Password has not been reseted. Please, try later.', 'resetPassword'],
  ['The account has not been unlocked. Please, try later', 'unlockAccount'],
  [
    'There was an error on the proccess, try again later',
    'forgotPassword',
    'validateUsername',
    'validateAnswers',
    'changeServiceLevel',
    'rollbackSubscription',
  ],
  [
    'There was an error while trying to check the link, try again later',
    'checkPasswordLink',
    'checkPasswordLinkSent',
  ],
  [
    'There was an error while trying to change the password, try again later',
    'changePasswordByLink',
  ],
  [
    'There was an error while changing the password. Try again later',
    'setPasswordDb',
    'setPasswordAd',
  ],
  [
    'Error while logging in',
    'loginDb',
    'loginAd',
    'loginDbSms',
    'loginAdSms',
    'loginDbPhone',
    'loginAdPhone',
    'loginDbResend',
    'loginAdResend',
    'loginToken',
  ],
  // Job executions
  ['Error while trying to update the job execution, try again later.', 'changeExecution'],
  ['Error while trying to perform the bulk action, try again later.', 'changeExecutions'],
  [
    'Error while trying to add the job to the ignore, try again later.',
    'ignoreMissed',
    'unignoreMissed',
    'ignoreDisabled',
    'unignoreDisabled',
  ],
  ['Error while trying get the job execution, try again later.', 'getExecution'],
  // Reads
  [
    'Error while trying to get the jobs, try again later.',
    'listResults',
    'listJobNames',
    'listDidNotRun',
  ],
  ['Error while trying to get the job history, try again later.', 'chartResults'],
  [
    'Error while trying to get the stats, try again later.',
    'overviewStats',
    'spreadsheetStats',
    'getBackupStatus',
    'getUsersStatus',
    'listHighestStorageUsers',
    'getRetentionStatus',
  ],
  [
    'Error while trying to get the ranking, try again later.',
    'rankFailures',
    'rankDuration',
    'rankTransferred',
  ],
  ['Error while trying to get the repositories, try again later.', 'listRepositories'],
  ['Error while trying to get the repository history, try again later.', 'repositoryHistory'],
  [
    'Error while trying to get the report, try again later.',
    'spreadsheetReport',
    'previewReport',
    'openSentReport',
    'getReportFile',
    'slaReport',
  ],
  ['Error while trying to get the last sync, try again later.', 'lastSync'],
  ['Error while trying to get the discovered computers, try again later.', 'listComputers'],
  ['Error while trying to get the computer status, try again later.', 'listComputersNow'],
  [
    'Error while trying to get the licenses, try again later.',
    'listLicensing',
    'listCompanyLicensing',
    'listOwnSubscriptions',
    'listSuiteLicensing',
    'getLicenses',
    'getLicenseActivity',
  ],
  ['Error while trying to get the service providers, try again later.', 'listProviders'],
  [
    'Error while trying to get the reports, try again later.',
    'listReportSettings',
    'listReportTemplates',
    'listSentReports',
  ],
  ['Error while trying to get the trends, try again later.', 'analytics', 'repositoryTrends'],
  ['Error while trying to get the chart, try again later.', 'chartFailures'],
  // Computers
  ['Error while trying to add the computer to the ignore, try again later.', 'ignoreComputer'],
  ['Error while trying to remove the computer to the ignore, try again later.', 'unignoreComputer'],
  ['Error while trying to add the note to the computer, try again later.', 'noteComputer'],
  // Export
  [
    'Error while trying to export, try again later.',
    'exportResults',
    'exportLicensing',
    'exportUsers',
    'exportUserLogs',
    'exportCompanies',
    'exportInvoices',
    'exportAdminEvents',
    'exportSuiteLicensing',
    'exportSuiteConsumption',
    'exportSubscriptions',
    'exportAllSubscriptions',
  ],
  // Sign-up and subscriptions
  ['Error while registering. Try again later.', 'signUp', 'completeSignUp', 'resendSignUp'],
  ['Error while verifying the email. Try again later.', 'verifySignUp'],
  [
    'Error getting subscriptions. Try again later.',
    'listSubscriptions',
    'getSubscription',
    'listAllSubscriptions',
  ],
  [
    'Error updating subscription. Try again later.',
    'updateSubscription',
    'updateTrial',
    'cancelSubscription',
    'updateUsage',
    'ackUsage',
    'unackUsage',
  ],
  // Hints
  ['Error while trying to create the hint. Try again later', 'createHint'],
  ['Error while trying to update the hint. Try again later', 'changeHint'],
  ['Error while trying to delete the hint. Try again later', 'removeHint'],
  ['Error while getting the hints. Try again later.', 'listHints', 'listApplicableHints'],
  // Restore
  [
    'Error getting the device code. Try again later.',
    'requestDeviceCode',
    'requestAppDeviceCode',
    'requestRestoreDeviceCode',
  ],
  ['Error stopping restore session.', 'stopRestoreSession'],
  ['Error getting the mailboxes.', 'listMailboxes'],
  ['Error restoring the mailbox.', 'restoreMailbox'],
  ['Error downloading mailbox.', 'downloadMailbox'],
  [
    'Error getting the download size. Try again later.',
    'getMailDownloadSize',
    'getDriveDownloadSize',
    'getSiteDownloadSize',
  ],
  // Repositories
  ['Error in update repository.', 'updateBackupRepository'],
  ['Error in remove repository.', 'deleteBackupRepository'],
  // Reports
  ['Error while creating the report, try again later.', 'createReportSetting'],
  ['Error while editing the report. Try again later.', 'changeReportSetting'],
  ['Error while deleting the report. Try again later.', 'removeReportSetting'],
  ['Error while sending the report, try again later.', 'sendReport'],
  // SLA
  ['Error while saving the SLA alarm, try again later.', 'saveSlaAlarm', 'changeSlaAlarm'],
  ['Error while removing the SLA alarm, try again later.', 'removeSlaAlarm'],
  // Rules
  ['Error while trying to create the rule. Try again later', 'createRule'],
  ['Error while getting the rules. Try again later.', 'listRules'],
  ['Error while trying to test the rules, try again later.', 'testRule'],
  // Tickets
  ['Error while editing the ticket. Try again later.', 'changeTicket'],
  ['Error while deleting the ticket. Try again later.', 'deleteTicket'],
  // Users
  ['Error while creating the user. Try again later.', 'createUser'],
  [
    'Error while editing the user. Try again later.',
    'editUser',
    'addUserAccount',
    'removeUserAccount',
  ],
  ['Error while deleting the user. Try again later.', 'deleteUser', 'removeUser'],
  // Companies
  ['Error while adding the company. Try again later.', 'createCompany'],
  ['Error while editing the company. Try again later.', 'editCompany'],
  ['Error while deleting the company. Try again later.', 'deleteCompany'],
  ['Error while getting the company. Try again later.', 'getCompany'],
  ['Error while getting the users to notify. Try again later.', 'listUsersToNotify'],
];

/**
 * Calls that the specification leaves without a sentence: ours, by the pattern of its catalogue.
 */
export const BY_PATTERN: readonly (readonly [sentence: string, ...calls: readonly CallName[]])[] = [
  [
    'There was an error while trying to check the link, try again later',
    'checkInvitation',
    'checkEmailLink',
  ],
  ['Error while trying to get the evidence, try again later.', 'listEvidence'],
  ['Error while trying to get the profile, try again later.', 'readProfile'],
  ['Error while trying to get the SLA alarms, try again later.', 'getSlaAlarm', 'listSlaAlarms'],
  ['Error while trying to get the search results, try again later.', 'search'],
  ['Error while trying to get the sources, try again later.', 'listKeys'],
  ['Error while trying to get the users, try again later.', 'listUsers'],
  ['Error while trying to get the user logs, try again later.', 'listUserLogs'],
  [
    'Error while trying to get the companies, try again later.',
    'listCompanies',
    'reportCompanies',
    'listVacCompanies',
  ],
  [
    'Error while getting the tickets. Try again later.',
    'listTickets',
    'reportTickets',
    'getTicket',
  ],
  ['Error while creating the ticket. Try again later.', 'createTicket', 'createTickets'],
  ['Error while editing the rule. Try again later.', 'changeRules'],
  ['Error while deleting the rule. Try again later.', 'removeRule'],
];

/** Calls of which the specification says that the server's message goes first. */
export const SERVER_MESSAGE_FIRST: readonly CallName[] = [
  'verifySignUp',
  'changeServiceLevel',
  'rollbackSubscription',
  'restoreMailbox',
  'restoreMailFolder',
  'restoreMailItems',
  'restoreDrive',
  'restoreTeam',
  'restoreTeamChannel',
  'restoreTeamFiles',
  'restoreTeamPosts',
  'restoreTeamTabs',
  'restoreSite',
  'updateBackupRepository',
  'deleteBackupRepository',
  'loginDb',
  'loginAd',
  'loginDbSms',
  'loginAdSms',
  'changeExecutions',
  'createUser',
  'editUser',
  'deleteUser',
  'removeUser',
];

export const NO_RESPONSE = 'No response received from server. Try again later.';
export const NOT_SET_UP = 'Error setting up the request. Try again later.';
export const USERNAME_EXISTS = 'The username already exists.';

/**
 * The catalogue's other sentences, which no call fails with by itself, with the message that pages and
 * the server show. With those above, these are all of section 8 of both specifications.
 */
export const OTHER_SENTENCES: readonly (readonly [sentence: string, shown: string])[] = [
  ['Link copied to clipboard', BASE.linkCopied],
  ['Your session has expired. Please log in again to continue.', BASE.sessionExpired],
  ['The page you requested could not be found.', BASE.pageNotFound],
  ['The current password is not valid.', ACCOUNT.currentPassword],
  ['Password chosen failed to meet any or all of the requirements stated.', ACCOUNT.passwordPolicy],
  ['Invalid username', ACCOUNT.invalidUsername],
  ['Invalid security answers', ACCOUNT.invalidAnswers],
  [USERNAME_EXISTS, ACCOUNT.usernameTaken],
];
