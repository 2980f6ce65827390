import * as v from 'valibot';
import type { EngineResult, Workload } from '#contract/engine/engine.ts';
import type { TokenSource } from '../graph/request.ts';
import { ok } from '../../result.ts';
import type { OutlookTop } from '../sources/outlook/keys.ts';

export type MailboxPart = 'mails' | OutlookTop;
const MAILBOX_PARTS: Readonly<Record<MailboxPart, string>> = {
  mails: 'Mail.ReadWrite',
  calendars: 'Calendars.ReadWrite',
  contacts: 'Contacts.ReadWrite',
  tasks: 'Tasks.ReadWrite.All',
};
const getMailboxPermissions = (isWritten: (part: string) => boolean): readonly string[] => [
  'User.Read.All',
  ...Object.entries(MAILBOX_PARTS).flatMap(([part, permission]) =>
    isWritten(part) ? [permission] : [],
  ),
];

/** What a restore can't do without, as permissions of Graph. */
const NEEDED: Readonly<Record<Workload, readonly string[]>> = {
  outlook: getMailboxPermissions(() => true),
  onedrive: ['User.Read.All', 'Files.ReadWrite.All'],
  // Lists and their columns may have to be created.
  sharepoint: ['Sites.Manage.All'],
  teams: [
    'User.Read.All',
    'Group.Read.All',
    'Channel.Create',
    'ChannelMessage.Read.All',
    'Teamwork.Migrate.All',
    'TeamsTab.ReadWrite.All',
    'TeamMember.ReadWrite.All',
    'TeamSettings.ReadWrite.All',
    'Files.ReadWrite.All',
  ],
};
/** What it uses where it needs to: mails with all properties, deleted teams, private channels, undo. */
const USED: Readonly<Partial<Record<Workload, readonly string[]>>> = {
  outlook: ['MailboxItem.ImportExport.All'],
  teams: ['Group.ReadWrite.All', 'ChannelMember.ReadWrite.All', 'Channel.Delete.All'],
};
const READ_GROUPS = [
  'Group.Read.All',
  'Group.ReadWrite.All',
  'Directory.Read.All',
  'Directory.ReadWrite.All',
];
/** Wider permissions that include one: learn.microsoft.com/graph/permissions-reference. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  'Mail.Read': ['Mail.ReadWrite'],
  'Calendars.Read': ['Calendars.ReadWrite'],
  'Contacts.Read': ['Contacts.ReadWrite'],
  'Tasks.Read.All': ['Tasks.ReadWrite.All'],
  'MailboxItem.Export.All': ['MailboxItem.ImportExport.All'],
  'Files.Read.All': [
    'Files.ReadWrite.All',
    'Sites.Read.All',
    'Sites.ReadWrite.All',
    'Sites.Manage.All',
    'Sites.FullControl.All',
  ],
  'Sites.Read.All': ['Sites.ReadWrite.All', 'Sites.Manage.All', 'Sites.FullControl.All'],
  'TeamSettings.Read.All': ['TeamSettings.ReadWrite.All', ...READ_GROUPS],
  'ChannelMember.Read.All': ['ChannelMember.ReadWrite.All'],
  'TeamMember.Read.All': ['TeamMember.ReadWrite.All'],
  'Channel.ReadBasic.All': [
    'ChannelSettings.Read.All',
    'ChannelSettings.ReadWrite.All',
    ...READ_GROUPS,
  ],
  'Channel.Delete.All': ['Group.ReadWrite.All', 'Directory.ReadWrite.All'],
  'TeamsTab.Read.All': ['TeamsTab.ReadWrite.All', ...READ_GROUPS],
  'Organization.Read.All': [
    'Organization.ReadWrite.All',
    'Directory.Read.All',
    'Directory.ReadWrite.All',
  ],
  'Group.Read.All': ['Group.ReadWrite.All', 'Directory.Read.All', 'Directory.ReadWrite.All'],
  'User.Read.All': ['User.ReadWrite.All', 'Directory.Read.All', 'Directory.ReadWrite.All'],
  'Files.ReadWrite.All': ['Sites.ReadWrite.All', 'Sites.Manage.All', 'Sites.FullControl.All'],
  'Sites.Manage.All': ['Sites.FullControl.All'],
};

/** What a grant that names no workload is for: it has the permissions of all of these. */
export const GRANTED_TOGETHER: readonly Workload[] = ['outlook', 'onedrive', 'teams'];

const collectPermissions = (
  workload: Workload | null,
  of: (one: Workload) => readonly string[],
): readonly string[] => [
  ...new Set((workload === null ? GRANTED_TOGETHER : [workload]).flatMap(of)),
];

/** `parts`: of mailboxes, what is written to; else all. */
export const neededFor = (
  workload: Workload | null,
  parts?: readonly MailboxPart[],
): readonly string[] =>
  collectPermissions(workload, (one) =>
    one === 'outlook' && parts !== undefined
      ? getMailboxPermissions((part) => parts.some((written) => written === part))
      : NEEDED[one],
  );
/** All requested permissions. */
export const listWantedPermissions = (workload: Workload | null): readonly string[] =>
  collectPermissions(workload, (one) => [...NEEDED[one], ...(USED[one] ?? [])]);

/** Returns those of the permissions that the token of an application lacks. */
export async function findMissing(
  tokens: TokenSource,
  permissions: readonly string[],
  signal: AbortSignal,
): Promise<EngineResult<readonly string[]>> {
  const token = await tokens.get(signal);
  if (!token.ok) return token;
  const missing = getMissing(token.value, permissions);
  if (missing.length === 0) return ok(missing);
  // A token has the permissions of its time: there may be more since.
  tokens.forget(token.value);
  const newer = await tokens.get(signal);
  return newer.ok ? ok(getMissing(newer.value, permissions)) : newer;
}

function getMissing(token: string, permissions: readonly string[]): readonly string[] {
  const roles = new Set(readRoles(token));
  return withoutGranted(permissions, (role) => roles.has(role));
}

/** Returns the permissions that no granted one includes. */
export const withoutGranted = (
  permissions: readonly string[],
  isGranted: (permission: string) => boolean,
): readonly string[] =>
  permissions.filter((permission) => ![permission, ...(WIDER[permission] ?? [])].some(isGranted));

const CLAIMS = v.object({ roles: v.optional(v.array(v.string()), []) });

/** The permissions in a token. It is only read, never trusted: Graph checks each request itself. */
export function readRoles(token: string): readonly string[] {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const read = v.safeParse(CLAIMS, claims);
    return read.success ? read.output.roles : [];
  } catch {
    return [];
  }
}
