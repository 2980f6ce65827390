import { defineMessages } from '#contract/i18n/messages.ts';

/** Failures of the calls about organizations, repositories and backup jobs, and their emails. */
export const backupMessages = defineMessages('backup-suite', {
  mailbox: '{name} (mailbox)',
  archive: '{name} (archive mailbox)',
  drive: '{name} (OneDrive)',
  site: '{name} (site)',
  team: '{name} (team)',
  managedByServer:
    'Veeam Backup for Microsoft 365 manages this organization. Make this change on its server.',
  jobChanged:
    'The job has changed since you opened it. Open it again to see the changes; what you entered is not saved.',
  serverChoosesProxy: 'The Veeam server chooses the proxy by the repository.',
  savedOtherwise:
    'The Veeam server saved the job with different settings than you chose. Open the job to see them.',
  noFullTextOnServer: "Search in texts isn't available for backups of a Veeam server.",
  noVersionsOnServer: "Version history isn't available for backups of a Veeam server.",
  chatsByTeam: 'On a Veeam server, choose posts for each selected team.',
  noAllSitesOnServer: "A Veeam server can't take all sites as one item. Choose sites.",
  noOrganizations: 'The server has no organizations of Microsoft 365.',
  foundOrganizations: '{count, plural, one {# organization} other {# organizations}} found.',
  noCompany: 'Choose a company, or link one with this organization.',
  alreadyImported: 'This organization is imported already.',
  wrongAddress: 'Enter an address that begins with https:// and has no user or password.',
  wrongCertificate: 'Paste one certificate as PEM text.',
  deleteImportedOrganization:
    '{user} deleted the Microsoft 365 organization {name} of {company} on {when}. Its backups stay on its Veeam server.',
  authNotSupported: "This sign-in method for Microsoft 365 isn't available.",
  serviceNotSupported: "Backup of this service isn't available.",
  scheduleNotSupported: "This schedule isn't available.",
  noService: 'Select at least one service.',
  codeNeeded: 'Sign in with a device code first.',
  codeForService:
    'Sign in with a device code: the application needs the permissions of the new service.',
  applicationNeeded: 'Enter the application ID.',
  secretNeeded: 'Enter the application secret.',
  domainNeeded: 'Enter the domain of the tenant.',
  organizationsFull: "You've reached the limit of {max} organizations. Delete one to add another.",
  repositoriesFull: "You've reached the limit of {max} repositories. Delete one to add another.",
  jobsFull: "You've reached the limit of {max} backup jobs. Delete one to add another.",
  tenantTaken: "This Microsoft 365 tenant can't be added.",
  tenantExists: 'This Microsoft 365 tenant already belongs to the organization {name}.',
  applicationLeft:
    '{refusal} The application {applicationId} was created in the tenant: enter its ID next time, or delete it there.',
  holdEnded: 'Choose an end that is later than now.',
  holdExists: '{name} is on legal hold already.',
  holdsFull:
    "You've reached the limit of {max} legal holds in this organization. Release one to add another.",
  excludedAlready: '{name} is excluded from backups already.',
  exclusionsFull:
    "You've reached the limit of {max} excluded people in this organization. End an exclusion to add another.",
  personOnHold: '{name} is on legal hold. Release the hold first: it protects these backups.',
  holdOnExcluded: '{name} is excluded from backups on request. End the exclusion first.',
  holdOnRemoved: 'Backups of {name} are still being removed on request. Try again later.',
  organizationOnHold:
    'The organization has {count, plural, one {# legal hold} other {# legal holds}}. Release them first.',
  repositoryOnHold: 'The repository has backups on legal hold. Release the hold first.',
  nameTaken: 'This name is already in use.',
  repeatPassword: "The passwords don't match.",
  hintHasPassword: "The description can't contain the password.",
  lockWithKeep: "A repository with Object Lock can't keep backups forever. Choose a period.",
  repositoryInUse:
    'These jobs use the repository: {jobs}. Delete them or choose another repository.',
  proxyIsOnline: 'This proxy is running. Stop it first.',
  proxyIsServer: "The built-in proxy can't be removed.",
  proxyInUse:
    'These repositories and jobs name the proxy: {names}. Choose another proxy for them first.',
  repositoryGoing: 'This repository is scheduled for deletion.',
  otherOrganization: 'Choose a repository of the same organization.',
  noItems: 'Select at least one item.',
  unknownItem: "The directory of the organization doesn't have this item. Choose another one.",
  noArchives:
    "Archive mailboxes can't be backed up. Microsoft Graph finds them only in its beta version, which isn't supported for production.",
  jobFollowed:
    'These jobs start after this one: {jobs}. Give them another schedule or delete them first.',
  chainCycle: 'This job would run after itself.',
  otherCompanyUser: "This user doesn't exist or doesn't have access to the company.",
  certificateSubject: 'Certificate of {name} expires on {day}',
  certificateExpires:
    'The certificate that signs in to the Microsoft 365 organization {name} of {company} expires on {day}. Then its backups fail.',
  certificateNext: 'Renew it in the portal with a sign-in by device code:',
  deleteOrganizationSubject: 'Microsoft 365 organization deleted: {name}',
  deleteOrganization:
    '{user} deleted the Microsoft 365 organization {name} of {company}. Its backups will be deleted on {when}.',
  deleteRepositorySubject: 'Backup repository will be deleted: {name}',
  deleteRepository:
    '{user} is deleting the backup repository {name} of {company}, with all its restore points, on {when}. Until then, an administrator can keep it.',
  removeRepositorySubject: 'Backup repository removed from its Veeam server: {name}',
  removeRepository:
    '{user} removed the backup repository {name} of {company} from its Veeam server on {when}. The server keeps the files of its backups. The repository can be added there again.',
  sharedServer:
    'Companies can share a repository of a Veeam server. Ask a user with access to all companies to do this.',
  notOnServer: "The repositories of this organization aren't on a Veeam server.",
  damagedSubject: 'Damaged data in the backup repository {name}',
  damaged:
    'The verification of the backup repository {name} of {company} found damaged data. {count, plural, one {# item} other {# items}} lost data.',
  damagedNext: 'The next backup repairs items that are still in the tenant.',
  tamperedSubject: 'Files of the backup repository {name} were deleted or overwritten',
  recovered:
    'Someone else deleted or overwrote {count, plural, one {# file} other {# files}} of the backup repository {name} of {company} in its bucket. The portal recovered the locked {count, plural, one {version} other {versions}}.',
  lost: "{count, plural, one {# file} other {# files}} of the backup repository {name} of {company} can't be recovered. Verify the repository.",
  tamperedNext: 'Change the access key, and find out who used it.',
  shortenRetentionSubject: 'Retention will be shortened: {name}',
  shortenRetention:
    '{user} shortened the retention of the backup repository {name} of {company}. Older restore points are deleted from {when} on. Until then, an administrator can undo the change.',
});
