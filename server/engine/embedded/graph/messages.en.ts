import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a request to Microsoft 365 failed, and what to do. */
export const graphMessages = defineMessages('graph', {
  stopped: 'The work was stopped.',
  unreachable: "Microsoft 365 can't be reached. Check the server's internet connection.",
  timeout: 'Microsoft 365 did not answer in time. Try again later.',
  throttled: 'Microsoft 365 limits requests. Daybook continues when the limit allows it.',
  busy: 'Microsoft 365 is busy. Try again later.',
  moving: 'Microsoft 365 is moving this mailbox. Try again later.',
  serverError: 'Microsoft 365 reported an internal error. Try again later.',
  unreadable: "Microsoft 365 sent a response that can't be read.",
  tooLarge: 'Microsoft 365 sent a response that is too large.',
  foreignLink: "Microsoft 365 sent a link to a host that isn't its own. The link was not followed.",
  refused: 'Microsoft 365 did not accept the sign-in. Renew the access of the organization.',
  rightsEnded:
    'The rights to write have ended. Start the restore again, and sign in to grant them once more.',
  forbidden:
    'Microsoft 365 denied access. Check the permissions of the application and grant admin consent.',
  claims:
    'A Conditional Access policy denied access. Exclude the application from the policy, then try again.',
  noMailbox:
    'This user has no mailbox in Exchange Online. Assign a license, or exclude the user from the job.',
  inactive: 'This mailbox is inactive. Exclude it from the job.',
  noSite: "This site doesn't exist in the tenant.",
  noDrive: 'This user has no OneDrive. Assign a license, or exclude the user from the job.',
  noFilesYet: 'Microsoft 365 is still creating the folder of this channel. Try again later.',
  noOwner: 'The team has no owner who could post for people who have left.',
  postNotReplaceable: "Posts can't be changed. Keep both to create it beside the present one.",
  postStays: "Microsoft 365 doesn't let applications delete posts. Delete it in Teams.",
  deletedMessage: 'This message was deleted.',
  noTeam: 'This team no longer exists. Exclude it from the job.',
  missing: 'Microsoft 365 no longer has this item.',
  conflict: 'The item has changed in Microsoft 365 in the meantime.',
  nameTaken: 'An item with this name already exists.',
  locked: 'The item is locked in Microsoft 365. Close it, then try again.',
  quota: 'The mailbox or drive is full. Free space in Microsoft 365, then try again.',
  malware: 'Microsoft 365 detected malware in this file and blocks it.',
  itemTooLarge: 'The item is larger than Microsoft 365 allows.',
  corrupt: "The item is damaged in Microsoft 365 and can't be read.",
  resync: 'Microsoft 365 no longer has the last sync state. Daybook lists all items again.',
  sessionEnded: 'The upload session has ended. Start again.',
  unsupported: "Microsoft 365 doesn't support this request.",
  invalid: 'Microsoft 365 rejected the request ({code}).',
  changedWhileRead: 'The file changed while Daybook read it. The next backup reads it again.',
  cutShort: 'The file is shorter than the size that Microsoft 365 reported.',
  wrongSecret:
    'Microsoft did not accept the application secret. Enter a valid secret that has not expired.',
  wrongCertificate:
    'Microsoft did not accept the certificate of the application. Renew the certificate.',
  noApplication: 'The application does not exist in this tenant. Check its ID and the tenant.',
  notAdministrator:
    "This account can't manage applications. Sign in with an administrator of the tenant.",
  noGraph: 'Microsoft Graph is not available in this tenant.',
  noTenant: 'This tenant does not exist in the selected region. Check the name and the region.',
  noConsent: 'An administrator has not granted consent to the application.',
  signInFailed: 'Microsoft rejected the sign-in ({code}).',
  folderInUse: "The folder isn't empty.",
  notAList: 'This place is not a list, so rows cannot be written to it.',
  notALibrary: 'This place is not a library, so files cannot be written to it.',
  listInUse: "The list isn't empty.",
  badName: "Microsoft 365 doesn't allow this name.",
  badMime: "This mail can't be restored: its content isn't a valid mail.",
});
