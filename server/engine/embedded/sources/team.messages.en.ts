import { defineMessages } from '#contract/i18n/messages.ts';

/** Folders of a team in its backup. */
export const teamMessages = defineMessages('team-source', {
  files: 'Files',
  tabs: 'Tabs',
  otherFiles: 'Other files',
  deleted: 'This message was deleted.',
  unknownAuthor: 'Unknown',
  file: 'File',
  quote: 'Quoted message',
  card: 'Card',
  attachments: 'Attachments',
  notImported: "Without {what}, which Microsoft 365 doesn't import.",
  cards: '{count, plural, one {# card} other {# cards}}',
  quotes: '{count, plural, one {# quote} other {# quotes}}',
  reactions: '{count, plural, one {# reaction} other {# reactions}}',
  mentionsAsText: '{count, plural, one {# mention becomes text.} other {# mentions become text.}}',
  willRestoreGroup:
    'The team was deleted less than 30 days ago. Its group is restored in Microsoft Entra first, with all that it held; then what is still missing.',
  willCreateTeam:
    'The team was deleted. A new one is created first, with the members and settings of the backup.',
  groupBack:
    'The group of this team is back. The restore continues when Microsoft 365 has the team again, in rare cases after hours.',
  teamComes: 'Microsoft 365 is still creating the team.',
  othersCreate: 'Another restore creates this team right now. This one continues afterwards.',
  notOurGroup:
    'The group {name} has the alias of the one that this restore creates, but other people. Delete it, or restore its owners. Then start the restore again.',
  restoreGroupYourself:
    'The team was deleted less than 30 days ago. Restore its group in the Microsoft Entra admin center, under Groups > Deleted groups, or grant the permission Group.ReadWrite.All. Then start the restore again.',
  createNeedsRights:
    'The team was deleted. To create it again, grant the permission Group.ReadWrite.All. Then start the restore again.',
  groupNeedsRights:
    'Description and visibility stay as they are, because the permission Group.ReadWrite.All is missing.',
  channelMembers: 'Members of private and shared channels',
  channelsNeedRights:
    'Members of private and shared channels stay as they are, because the permission ChannelMember.ReadWrite.All is missing.',
  membersLeft:
    '{count, plural, one {# member is} other {# members are}} no longer in the tenant or the team.',
  noMemberLeft:
    'The team was deleted, and none of its members is in the tenant any more. A team needs an owner.',
  channelRenamed: 'The channel “{former}” is named “{name}” now.',
  channelClosed:
    'The channel “{name}” is closed: another restore was interrupted or writes to it. This restore opens it again.',
  channelInUse:
    "There are posts, tabs or files that the restore didn't write, or that changed since then.",
  deleteNeedsRights:
    'To delete channels, an undo needs the permission Channel.Delete.All. You can also delete them in Teams.',
  channelComes:
    'Microsoft 365 is still creating the channel {channel}. Retry the restore in some minutes.',
  otherMembership:
    'The channel {channel} now has other rules about who sees it. Rename it in Teams, then restore again.',
  otherChannel:
    'The channel {channel} is not the one of the backup, and who sees it is unknown. Rename it in Teams, then restore again.',
  otherPeople:
    'The channel {channel} is not the one of the backup, and others see it: {names}. Rename it in Teams, then restore again.',
  peopleUnknown:
    "The channel {channel} no longer exists, and the backup doesn't say who its members were. Create it in Teams with the right owners, then restore again.",
  noChannelOwner:
    'The channel {channel} no longer exists, and none of its owners can own it any more: {names}. Create it in Teams with the right owners, then restore again.',
  nobody: 'it had none',
  privatePlanned: 'The private channel {channel} will be created again. Its owners: {owners}.',
  privateCreated: 'The private channel {channel} was created again. Its owners: {owners}.',
  sharedPlanned: 'The shared channel {channel} will be created again. Its owners: {owners}.',
  sharedCreated: 'The shared channel {channel} was created again. Its owners: {owners}.',
  channelMembersAre: 'Its members: {names}.',
  channelLost: 'Without access, because they are no longer in the tenant or the team: {names}.',
  sharedAlone: "Other teams and organizations that it was shared with don't get it back.",
  peopleNotAdded:
    'Some of them could not be added, because the permission ChannelMember.ReadWrite.All is missing.',
  namesAndMore: '{names} and {count} more',
  teamInUse: 'The team has been used since the restore, so it stays.',
});
