export const MONITORING = {
  updateExecution: 'Error while trying to update the job execution, try again later.',
  bulk: 'Error while trying to perform the bulk action, try again later.',
  getExecution: 'Error while trying get the job execution, try again later.',
  ignoreJob: 'Error while trying to add the job to the ignore, try again later.',
  ignoreComputer: 'Error while trying to add the computer to the ignore, try again later.',
  heedComputer: 'Error while trying to remove the computer to the ignore, try again later.',
  noteComputer: 'Error while trying to add the note to the computer, try again later.',
  export: 'Error while trying to export, try again later.',
  getJobs: 'Error while trying to get the jobs, try again later.',
  getJobHistory: 'Error while trying to get the job history, try again later.',
  getStats: 'Error while trying to get the stats, try again later.',
  getRanking: 'Error while trying to get the ranking, try again later.',
  getRepositoryHistory: 'Error while trying to get the repository history, try again later.',
  getReport: 'Error while trying to get the report, try again later.',
  getLastSync: 'Error while trying to get the last sync, try again later.',
  getComputerStatus: 'Error while trying to get the computer status, try again later.',
  getLicenses: 'Error while trying to get the licenses, try again later.',
  getServiceProviders: 'Error while trying to get the service providers, try again later.',
  getReports: 'Error while trying to get the reports, try again later.',
  getTrends: 'Error while trying to get the trends, try again later.',
  getChart: 'Error while trying to get the chart, try again later.',
  hoursTooLong: 'Choose a time of seven days or less for hours.',
  exportTooLong: 'Choose a shorter time: a file holds a million results at most.',
  getRepositories: 'Error while trying to get the repositories, try again later.',
  getComputers: 'Error while trying to get the discovered computers, try again later.',
  ingestQuota:
    'The daily storage limit for results is used up. New results are accepted after midnight UTC. An administrator can raise the limit in the provider settings.',
  logOverQuota: (day: string): string =>
    `The log was not stored: the daily storage limit for logs was used up on ${day} (UTC).`,
  noReasonGiven: 'No reason given',
  nothingToChange: 'Say what to change: change, note or ignoredUntil.',
  reasonAlone: 'A reason needs ignoredUntil beside it.',
  nothingToReview: 'This result has no problem to review.',
  problemClosed: 'The problem is over: a later run succeeded or failed differently.',
  alreadyReviewed: (who: string): string => `Reviewed by ${who} first.`,
  noteReplaced: (who: string): string => `${who} replaced your note.`,
  snoozeReplaced: (who: string): string => `${who} replaced your snooze.`,
  partlyRefused: (refused: number, asked: number, why: string): string =>
    `${refused} of ${asked} results were not changed: ${why}`,
  snoozeTooShort: 'A snooze must end in the future.',
  snoozeTooLong: 'A snooze ends within a year at the latest.',
  newVersion: 'The portal was updated. Please log in again to continue; unsent changes are kept.',
  firstRun: 'Start by connecting a backup source. Results appear here when its first backup ends.',
  notExpected: 'Not expected to run until then',
  ignoreTooShort: 'Choose a date in the future.',
  ignoreTooLong: 'Choose a date within a year.',
  jobAmbiguous: 'Several sources have a job with this id. Name the source as well.',
  jobNotDisabled: 'This job is not disabled.',
  viewNotOwned: 'Only its owner can change this view.',
  viewNotShareable: 'Only users who see all companies can share a view.',
  viewsFull: (most: number): string =>
    `You have ${most} views, which is the most. Remove one first.`,
  handOverTaken: 'Somebody else made this hand-over.',
  makeRule: 'Error while trying to create the rule. Try again later',
  getRules: 'Error while getting the rules. Try again later.',
  testRule: 'Error while trying to test the rules, try again later.',
  monthTooFar: 'Choose a month of the last twelve.',
  saveSla: 'Error while saving the SLA alarm, try again later.',
  removeSla: 'Error while removing the SLA alarm, try again later.',
  slaOfWhat: 'Choose one job, or a group of jobs.',
  slaAsksNothing:
    'Say what is asked: how old a good backup may be, which share of results has to be good, or both.',
  slaFull: (most: number): string =>
    `There are ${most} alarms, which is the most. Remove one first.`,
  emailNotConfirmed:
    'Your e-mail address is not confirmed yet. Use the link that was sent to it, or ask for another in your profile.',
  noMailAddress: 'Your profile has no e-mail address. Add one first.',
  pushDevicesFull: (most: number): string =>
    `You have ${most} devices, which is the most. Remove one first.`,
  getWebhooks: 'Error while trying to get the webhooks, try again later.',
  saveWebhook: 'Error while saving the webhook, try again later.',
  webhooksFull: (most: number): string =>
    `There are ${most} webhooks, which is the most. Remove one first.`,
  webhookNotYours: 'Webhooks tell of every company: they are kept by those who see all of them.',
  webhookCompany: 'One of these companies is not there any more.',
  webhookOff: 'The webhook is switched off.',
  hintAsksNothing:
    'Say which results it is for: a hint beside every result would be read by nobody.',
  hintTellsNothing: 'Say what to do: a few words, steps or links.',
  hintsFull: (most: number): string =>
    `There are ${most} hints, which is the most. Remove one first.`,
  hintNotYours: 'Hints are kept by those who see every company.',
  rulesFull: (most: number): string =>
    `There are ${most} rules, which is the most. Remove one first.`,
  rulesChanged: 'Somebody has made or removed a rule meanwhile. Look at the list again.',
  ruleAsksNothing:
    'Say which results are meant: a rule for every result would hide what nobody has seen.',
  ruleDoesNothing: 'Say what is done with these results.',
  ruleNotYours: 'Name companies that you see: a rule for all is made by somebody who sees all.',
  evidenceTooLong: 'Choose a time of 12 months or less.',
  evidenceEmpty: 'The end must be after the start.',
  getTickets: 'Error while getting the tickets. Try again later.',
  makeTicket: 'Error while creating the ticket. Try again later.',
  changeTicket: 'Error while editing the ticket. Try again later.',
  deleteTicket: 'Error while deleting the ticket. Try again later.',
  ticketOneCompany: 'A ticket is for problems of one company, and these are of several.',
  ticketHasOne: (number: string): string =>
    `A problem of these has the open ticket ${number} already.`,
  ticketHadOne: (number: string): string =>
    `The closed ticket ${number} is about a problem of these. Open it again, or take it away first.`,
  ticketProblemOver: 'A problem of these is over: a later run succeeded or failed differently.',
  ticketingNone: 'No ticketing system is connected. Tie the number instead.',
  ticketNoSuchRemote: (system: string): string =>
    `${system} has no such ticket. Give its number, or the address of its page.`,
  ticketOfAnother: (number: string, company: string): string =>
    `Ticket ${number} is of another company than ${company}.`,
  ticketClosedThere: (number: string, system: string): string =>
    `Ticket ${number} is closed in ${system}. Open it again there first.`,
  ticketMarked: (number: string): string =>
    `Ticket ${number} has the mark of another program, which would be lost. Choose another ticket.`,
  ticketNotMapped: (company: string, system: string): string =>
    `${company} is not mapped to a company in ${system}. Map it in Ticketing first.`,
  ticketCompanyMissing: (company: string, system: string): string =>
    `The company in ${system} that ${company} is mapped to is missing. Map it anew in Ticketing first.`,
  ticketingNotSet: (system: string): string =>
    `${system} is not connected wholly. Finish it in Ticketing first.`,
  ticketNoSuchChoice: 'This cannot be chosen any more. Look at the list again.',
  ticketingOtherSystem: (system: string): string =>
    `${system} is not the ticketing system that is connected.`,
  ticketingNotYours: 'Ticketing is set by somebody who sees all companies.',
  ticketingNoSecret: 'Give the secret: none is kept for this address.',
  sendSupport: 'Error while sending the request. Try again later.',
  getSupport: 'Error while getting the requests. Try again later.',
  supportNoAddress: 'This portal names no e-mail address of its support.',
  supportTooMany: (most: number): string =>
    `You have sent ${most} requests within an hour, which is the most. Wait, or call.`,
  getConnections: 'Error while trying to get the connections, try again later.',
  connectionsFull: (most: number): string =>
    `There are ${most} connections, which is the most. Remove one first.`,
  connectionAddress:
    'Give an address that begins with https://, with its port and without a user name.',
  connectionCompany:
    'A console tells of whose each job is; every other system needs the company whose results they are.',
  connectionCertificate: 'This is not a certificate in PEM form.',
  connectionSecretAgain: 'Give the credentials: none are kept for this address.',
  connectionNotYours: 'A console is connected by somebody who sees all companies.',
  connectionOff: 'The connection is switched off.',
  getInvoices: 'Error while trying to get the invoices, try again later.',
  quickBooksNotYours: 'QuickBooks is connected by somebody who sees all companies.',
  quickBooksNoSecret: 'Give the client secret: none is kept for this client ID.',
  quickBooksNoKeys: 'Save the keys of the app first.',
  quickBooksNotConnected: 'QuickBooks is not connected.',
  quickBooksWayBack:
    'This way back from Intuit was used before, took more than ten minutes, or was begun by somebody else. Connect again.',
} as const;
