import { defineMessages } from '#contract/i18n/messages.ts';

/** People who are excluded from the backups of an organization on request. */
export const exclusionMessages = defineMessages('exclusions', {
  title: 'Excluded people',
  none: 'None. Exclude a person who asks for it, such as under a privacy law. This removes their data from all restore points.',
  exclude: 'Exclude a person',
  about: 'No job backs up excluded people, and their data is removed from all restore points.',
  others: 'Mails to other people, posts in teams, files of sites and imported mailboxes stay.',
  notOnServer:
    "Veeam Backup for Microsoft 365 backs up this organization. Data can't be removed from its server here. Ask the administrator of that server.",
  end: 'End exclusion',
  endTitle: 'End exclusion of {name}',
  endHint: "The next backup includes {name} again. Removed data isn't restored.",
  person: 'Person',
  searchByName: 'Search by name or address',
  chosen: 'Chosen: {name}',
  nothingChosen: 'Choose a person.',
  reason: 'Reason',
  reasonHint: 'Administrators of this organization see it.',
  reasonNeeded: 'Enter a reason.',
  removes:
    'This removes the mailbox, calendar, contacts, tasks, archive and OneDrive of {name} from all restore points.',
  irreversible: "It can't be undone. Object Lock can keep hidden files until its date.",
  confirmName: 'Name of the person',
  nameDiffers: 'Enter the name exactly as shown.',
  excludedBy: 'Excluded on {day} by {name}',
  excluded: 'Excluded on {day}',
  ended: 'Ended on {day}',
  nothingStored: 'No repository had backups.',
  removing: '{repository}: hidden. The next clean-up removes the data.',
  locked:
    '{repository}: hidden. Object Lock retains the data until {day} at the latest. Then it is deleted.',
  unlocked:
    '{repository}: hidden. All Object Locks have ended. The next clean-up deletes the data.',
  removed: '{repository}: removed',
  excludedToast: 'Person excluded',
  endedToast: 'Exclusion ended',
});
