import type { GraphCaller } from './access-token.ts';
import { GraphError } from './graph-error.ts';

/**
 * Permissions by what they allow, each with the wider ones that include it
 * (learn.microsoft.com/graph/permissions-reference).
 */
const ALLOWED = {
  readUsers: [
    'User.ReadBasic.All',
    'User.Read.All',
    'User.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  readGroups: [
    'GroupMember.Read.All',
    'Group.Read.All',
    'Group.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  readHiddenMembers: ['Member.Read.Hidden'],
  createGroups: ['Group.Create', 'Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  writeGroups: ['Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  readMe: ['User.Read', 'User.ReadWrite', 'User.Read.All', 'User.ReadWrite.All'],
  readOrganization: [
    'Organization.Read.All',
    'Organization.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
    'User.Read',
    'User.Read.All',
  ],
  readLicenses: [
    'LicenseAssignment.Read.All',
    'Organization.Read.All',
    'Organization.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  readMail: ['Mail.Read', 'Mail.ReadWrite'],
  readMailBasic: ['Mail.ReadBasic', 'Mail.ReadBasic.All', 'Mail.Read', 'Mail.ReadWrite'],
  writeMail: ['Mail.ReadWrite'],
  readMailboxSettings: ['MailboxSettings.Read', 'MailboxSettings.ReadWrite'],
  readMailboxFolders: ['MailboxFolder.Read.All', 'MailboxFolder.ReadWrite.All'],
  readMailboxItems: [
    'MailboxItem.Read.All',
    'MailboxItem.Export.All',
    'MailboxItem.ImportExport.All',
  ],
  exportItems: ['MailboxItem.Export.All', 'MailboxItem.ImportExport.All'],
  importItems: ['MailboxItem.ImportExport.All'],
  readApplications: [
    'Application.Read.All',
    'Application.ReadWrite.All',
    'Application.ReadWrite.OwnedBy',
    'Directory.Read.All',
  ],
  writeApplications: ['Application.ReadWrite.All', 'Application.ReadWrite.OwnedBy'],
  grantRoles: ['AppRoleAssignment.ReadWrite.All'],
  readFiles: [
    'Files.Read.All',
    'Files.ReadWrite.All',
    'Sites.Read.All',
    'Sites.ReadWrite.All',
    'Sites.Manage.All',
    'Sites.FullControl.All',
  ],
  writeFiles: [
    'Files.ReadWrite.All',
    'Sites.ReadWrite.All',
    'Sites.Manage.All',
    'Sites.FullControl.All',
  ],
  readSites: ['Sites.Read.All', 'Sites.ReadWrite.All', 'Sites.Manage.All', 'Sites.FullControl.All'],
  readTeams: [
    'TeamSettings.Read.All',
    'TeamSettings.ReadWrite.All',
    'Group.Read.All',
    'Group.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  writeTeams: ['TeamSettings.ReadWrite.All', 'Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  readTeamMembers: ['TeamMember.Read.All', 'TeamMember.ReadWrite.All'],
  writeTeamMembers: ['TeamMember.ReadWrite.All'],
  readChannels: [
    'Channel.ReadBasic.All',
    'ChannelSettings.Read.All',
    'ChannelSettings.ReadWrite.All',
    'Group.Read.All',
    'Group.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  readChannelMembers: ['ChannelMember.Read.All', 'ChannelMember.ReadWrite.All'],
  writeChannelMembers: ['ChannelMember.ReadWrite.All'],
  createChannels: [
    'Channel.Create',
    'Teamwork.Migrate.All',
    'Group.ReadWrite.All',
    'Directory.ReadWrite.All',
  ],
  deleteChannels: ['Channel.Delete.All', 'Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  readPosts: ['ChannelMessage.Read.All'],
  importPosts: ['Teamwork.Migrate.All'],
  readTabs: [
    'TeamsTab.Read.All',
    'TeamsTab.ReadWrite.All',
    'Group.Read.All',
    'Group.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  writeTabs: ['TeamsTab.ReadWrite.All', 'Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  writeRows: ['Sites.ReadWrite.All', 'Sites.Manage.All', 'Sites.FullControl.All'],
  manageLists: ['Sites.Manage.All', 'Sites.FullControl.All'],
  readCalendars: ['Calendars.Read', 'Calendars.ReadWrite'],
  writeCalendars: ['Calendars.ReadWrite'],
  readContacts: ['Contacts.Read', 'Contacts.ReadWrite'],
  writeContacts: ['Contacts.ReadWrite'],
  readTasks: ['Tasks.Read.All', 'Tasks.ReadWrite.All'],
  writeTasks: ['Tasks.ReadWrite.All'],
} as const;

export type Action = keyof typeof ALLOWED;

const MAIL: ReadonlySet<Action> = new Set<Action>([
  'readMail',
  'readMailBasic',
  'writeMail',
  'readMailboxSettings',
  'readMailboxFolders',
  'readMailboxItems',
  'exportItems',
  'importItems',
  'readCalendars',
  'writeCalendars',
  'readContacts',
  'writeContacts',
  'readTasks',
  'writeTasks',
]);
const TEAMS: ReadonlySet<Action> = new Set<Action>([
  'readTeams',
  'writeTeams',
  'readTeamMembers',
  'writeTeamMembers',
  'readChannels',
  'readChannelMembers',
  'writeChannelMembers',
  'createChannels',
  'deleteChannels',
  'readPosts',
  'importPosts',
  'readTabs',
  'writeTabs',
]);
const FILES: ReadonlySet<Action> = new Set<Action>([
  'readFiles',
  'writeFiles',
  'readSites',
  'writeRows',
  'manageLists',
]);

export const hasPermission = (caller: GraphCaller, action: Action): boolean =>
  ALLOWED[action].some((permission) => caller.permissions.has(permission));

/** @throws GraphError 403 if no permission of the caller allows the action */
export function checkPermission(caller: GraphCaller, action: Action): void {
  if (hasPermission(caller, action)) return;
  if (MAIL.has(action))
    throw new GraphError(
      403,
      'ErrorAccessDenied',
      'Access is denied. Check credentials and try again.',
    );
  if (FILES.has(action)) throw new GraphError(403, 'accessDenied', 'Access denied');
  if (TEAMS.has(action))
    throw new GraphError(
      403,
      'Forbidden',
      `Missing role permissions on the request. API requires one of '${ALLOWED[action].join(', ')}'.`,
    );
  throw new GraphError(
    403,
    'Authorization_RequestDenied',
    'Insufficient privileges to complete the operation.',
  );
}

/** Application permissions of Microsoft Graph and their published ids. */
export const APP_ROLES: Readonly<Record<string, string>> = {
  'User.Read.All': 'df021288-bdef-4463-88db-98f22de89214',
  'Group.Read.All': '5b567255-7703-4780-807c-7be8301ae99b',
  'Group.ReadWrite.All': '62a82d76-70ea-41e2-9197-370581804d09',
  'Member.Read.Hidden': '658aa5d8-239f-45c4-aa12-864f4fc7e490',
  'GroupMember.Read.All': '98830695-27a2-44f7-8c18-0c3ebc9698f6',
  'Directory.Read.All': '7ab1d382-f21e-4acd-a863-ba3e13f7da61',
  'Organization.Read.All': '498476ce-e0fe-48b0-b801-37ba7e2685c6',
  'Mail.Read': '810c84a8-4a9e-49e6-bf7d-12d183f40d01',
  'Mail.ReadWrite': 'e2a3a72e-5f79-4c64-b1b1-878b674786c9',
  'MailboxSettings.Read': '40f97065-369a-49f4-947c-6a255697ae91',
  'MailboxFolder.Read.All': '99280d24-a782-4793-93cc-0888549957f6',
  'MailboxFolder.ReadWrite.All': 'fef87b92-8391-4589-9da7-eb93dab7dc8a',
  'MailboxItem.Read.All': '7d9f353d-a7bd-4fbb-822a-26d5dd39a3ce',
  'MailboxItem.Export.All': '937550e9-33a3-494b-88ae-d9cd394b1fbb',
  'MailboxItem.ImportExport.All': '76577085-e73d-4f1d-b26a-85fb33892327',
  'Files.Read.All': '01d4889c-1287-42c6-ac1f-5d1e02578ef6',
  'Files.ReadWrite.All': '75359482-378d-4052-8f01-80520e7db3cd',
  'Sites.Read.All': '332a536c-c7ef-4017-ab91-336970924f0d',
  'Sites.ReadWrite.All': '9492366f-7969-46a4-8d15-ed1a20078fff',
  'Sites.Manage.All': '0c0bf378-bf22-4481-8f81-9e89a9b4960a',
  'Sites.FullControl.All': 'a82116e5-55eb-4c41-a434-62fe8a61c773',
  'TeamSettings.Read.All': '242607bd-1d2c-432c-82eb-bdb27baa23ab',
  'TeamSettings.ReadWrite.All': 'bdd80a03-d9bc-451d-b7c4-ce7c63fe3c8f',
  'TeamMember.Read.All': '660b7406-55f1-41ca-a0ed-0b035e182f3e',
  'TeamMember.ReadWrite.All': '0121dc95-1b9f-4aed-8bac-58c5ac466691',
  'Channel.ReadBasic.All': '59a6b24b-4225-4393-8165-ebaec5f55d7a',
  'Channel.Create': 'f3a65bd4-b703-46df-8f7e-0174fea562aa',
  'Channel.Delete.All': '6a118a39-1227-45d4-af0c-ea7b40d210bc',
  'ChannelMember.Read.All': '3b55498e-47ec-484f-8136-9013221c06a9',
  'ChannelMember.ReadWrite.All': '35930dcf-aceb-4bd1-b99a-8ffed403c974',
  'ChannelMessage.Read.All': '7b2449af-6ccd-4f4d-9f78-e550c193f0d1',
  'Teamwork.Migrate.All': 'dfb0dd15-61de-45b2-be36-d6a69fba3c79',
  'TeamsTab.Read.All': '46890524-499a-4bb2-ad64-1476b4f3e1cf',
  'TeamsTab.ReadWrite.All': 'a96d855f-016b-47d7-b51c-1218a98d791c',
  'Calendars.Read': '798ee544-9d2d-430c-a058-570e29e34338',
  'Calendars.ReadWrite': 'ef54d2bf-783f-4e0f-bca1-3210c0444d99',
  'Contacts.Read': '089fe4d0-434a-44c5-8827-41ba8a0b17f5',
  'Contacts.ReadWrite': '6918b873-d17a-4dc1-b314-35f528134491',
  'Tasks.Read.All': 'f10e1f91-74ed-437f-a6fd-d6ae88e26c1f',
  'Tasks.ReadWrite.All': '44e666d1-d276-445b-a5fc-8815eeb81d55',
};
