import * as v from 'valibot';
import { listPageSchema } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { postPreviewOut } from './preview.ts';
import {
  channelOut,
  DOCUMENT_VERSIONS,
  DOWNLOAD,
  downloadOut,
  FOLDERS,
  ITEM_LIST_INPUT,
  LIST,
  nodeId,
  nodeIds,
  OF_SESSION,
  postOut,
  RESTORE_ORIGINAL,
  RESTORE_PERMISSIONS,
  settingsOut,
  startedOut,
  tabOut,
  teamFileOut,
  teamFolderOut,
  teamOut,
} from './shapes.ts';

const SESSION = 'o365/restore/restoresessions/{restoreSessionId}';
const TEAM = `${SESSION}/teams/{teamId}` as const;
const CHANNEL = `${TEAM}/channels/{channelId}` as const;
const READ = ['bad-input', 'not-found', 'forbidden', 'conflict', 'busy'] as const;
const COMMAND = [...READ, 'reauth_required', 'key-reused', 'out-of-order'] as const;
const OF_TEAM = { ...OF_SESSION, teamId: nodeId };
const OF_CHANNEL = { ...OF_TEAM, channelId: nodeId };
const gate = 'o365.restoreTeams' as const;

const on = v.optional(v.boolean(), true);
/** What a restore of a team or of parts of it takes. Posts are never replaced. */
const RESTORE_TEAM = {
  ...RESTORE_ORIGINAL,
  restoreChangedItems: on,
  restoreMissingItems: on,
  onConflict: v.optional(v.picklist(['skip', 'replace', 'keep-both'])),
};
const RESTORE_FILES = {
  ...RESTORE_TEAM,
  fileVersion: v.optional(v.picklist(DOCUMENT_VERSIONS)),
  restorePermissions: RESTORE_PERMISSIONS,
};

/** What a restore session shows of teams, and what is restored and downloaded of them. */
export const restoreTeamCalls = {
  listTeams: call({
    method: 'GET',
    path: `${SESSION}/teams`,
    summary: 'Lists the teams of a restore session by name.',
    input: v.strictObject({ ...OF_SESSION, ...LIST }),
    output: listPageSchema(teamOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listTeamChannels: call({
    method: 'GET',
    path: `${TEAM}/channels`,
    summary: 'Lists the channels of a team by name.',
    input: v.strictObject({ ...OF_TEAM, ...LIST }),
    output: listPageSchema(channelOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listTeamPosts: call({
    method: 'GET',
    path: `${CHANNEL}/posts`,
    summary: 'Lists the posts of a channel, newest first.',
    input: v.strictObject({ ...OF_CHANNEL, ...LIST }),
    output: listPageSchema(postOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listTeamFiles: call({
    method: 'GET',
    path: `${CHANNEL}/files`,
    summary:
      'Lists folders and files of a channel, or of a folder in it: folders by name, then files, newest first.',
    input: v.strictObject({ ...OF_CHANNEL, ...ITEM_LIST_INPUT }),
    output: listPageSchema(v.union([teamFolderOut, teamFileOut])),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listTeamTabs: call({
    method: 'GET',
    path: `${CHANNEL}/tabs`,
    summary: 'Lists the tabs of a channel.',
    input: v.strictObject({ ...OF_CHANNEL, ...LIST }),
    output: listPageSchema(tabOut),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listTeamFolders: call({
    method: 'GET',
    path: `${TEAM}/folders`,
    summary: 'Lists the folders of a team, a channel or a folder: channels, files and tabs.',
    input: v.strictObject({ ...OF_TEAM, ...FOLDERS }),
    output: listPageSchema(v.union([channelOut, teamFolderOut])),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  listTeamItems: call({
    method: 'GET',
    path: `${TEAM}/items`,
    summary: 'Lists what a channel or folder of a team holds, newest first.',
    input: v.strictObject({ ...OF_TEAM, ...ITEM_LIST_INPUT }),
    output: listPageSchema(v.union([postOut, teamFileOut, tabOut, settingsOut])),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  createPostPreview: call({
    method: 'POST',
    path: `${TEAM}/posts/{postId}/preview`,
    summary:
      'Reads a post with its replies, and returns an address with which this browser shows it once within a minute.',
    input: v.strictObject({ ...OF_TEAM, postId: nodeId }),
    output: postPreviewOut,
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  restoreTeam: call({
    method: 'POST',
    path: `${TEAM}/restore`,
    summary:
      'Restores a team with its channels, and its members and settings if asked to; without missing and changed items, only these.',
    input: v.strictObject({
      ...OF_TEAM,
      ...RESTORE_FILES,
      restoreMembers: v.optional(v.boolean(), false),
      restoreSettings: v.optional(v.boolean(), false),
    }),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  restoreTeamChannel: call({
    method: 'POST',
    path: `${CHANNEL}/restore`,
    summary: 'Restores a channel with its posts, files and tabs.',
    input: v.strictObject({ ...OF_CHANNEL, ...RESTORE_FILES }),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  restoreTeamFiles: call({
    method: 'POST',
    path: `${TEAM}/files/restore`,
    summary: 'Restores files and folders of a team.',
    input: v.strictObject({ ...OF_TEAM, files: nodeIds, ...RESTORE_FILES }),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  restoreTeamPosts: call({
    method: 'POST',
    path: `${TEAM}/posts/restore`,
    summary: 'Restores posts with their replies, with author and date.',
    input: v.strictObject({ ...OF_TEAM, posts: nodeIds, ...RESTORE_TEAM }),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  restoreTeamTabs: call({
    method: 'POST',
    path: `${TEAM}/tabs/restore`,
    summary: 'Restores tabs of channels.',
    input: v.strictObject({ ...OF_TEAM, tabs: nodeIds, ...RESTORE_TEAM }),
    output: startedOut,
    gate,
    operatorAllowed: true,
    failures: COMMAND,
  }),
  downloadTeamFiles: call({
    method: 'POST',
    path: `${TEAM}/files/download`,
    summary:
      'Prepares a download of files, posts and tabs: a single file as it is, everything else in a ZIP file, posts as HTML and JSON.',
    input: v.strictObject({ ...OF_TEAM, files: nodeIds, ...DOWNLOAD }),
    output: downloadOut,
    gate,
    operatorAllowed: true,
    failures: [...READ, 'reauth_required'],
  }),
  getTeamDownloadSize: call({
    method: 'POST',
    path: `${SESSION}/teams/download-size`,
    summary: 'Returns how many items and bytes teams, channels and what is in them hold.',
    input: v.strictObject({ ...OF_SESSION, nodes: nodeIds }),
    output: v.object({ items: v.number(), bytes: v.number(), isExact: v.boolean() }),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
} as const;
