import * as v from 'valibot';
import type { Published } from './schema.ts';
import { flag, int32, int64, links, some, text, time, uid } from './schema-parts.ts';
import type { Vb365Version } from './state.ts';

// What the OpenAPI documents publish of teams in restore sessions, as in `schema.ts`.

/** Entries of which `names` are required. */
const need = (entries: v.ObjectEntries, ...names: string[]): v.GenericSchema =>
  v.strictObject(
    Object.fromEntries(
      Object.entries({ ...entries, _links: links }).map(([name, schema]) => [
        name,
        names.includes(name) ? schema : v.optional(schema),
      ]),
    ),
  );
const inV8 = (version: Vb365Version, entries: v.ObjectEntries): v.ObjectEntries =>
  version === 'v8' ? entries : {};

function getRows(version: Vb365Version) {
  const teamId = inV8(version, { teamId: uid });
  const settings = some({
    preferredDataLocation: text,
    allowExternalSenders: flag,
    autoSubscribeNewMembers: flag,
  });
  const team = need(
    {
      id: uid,
      displayName: text,
      description: text,
      groupEmail: text,
      alias: text,
      privacy: v.picklist(['Public', 'Private', 'HiddenMembership']),
      settings,
      isArchived: flag,
    },
    'id',
  );
  const type = v.picklist(['Standard', 'Private', 'UnknownFutureValue', 'Shared']);
  const channel = need({ id: text, displayName: text, ...teamId }, 'id');
  const preview = need(
    { id: text, displayName: text, ...teamId, ...inV8(version, { type }) },
    'id',
  );
  const file = need(
    {
      id: uid,
      name: text,
      sizeBytes: int64,
      version: int32,
      uiVersion: text,
      modified: time,
      modifiedBy: text,
      channelId: text,
      fileType: v.picklist(['File', 'Folder']),
      ...teamId,
    },
    'id',
    ...(version === 'v8' ? ['channelId'] : []),
  );
  const post = some({
    postId: int64,
    changeKey: text,
    isImportant: flag,
    author: text,
    subject: text,
    createdTime: time,
    lastModifiedTime: time,
    isDeleted: flag,
    channelId: text,
    parentId: v.nullable(int64),
    parentChangeKey: text,
    attachments: v.array(some({ name: text, longFileName: text, url: text })),
    ...teamId,
  });
  const tab = need(
    { id: uid, displayName: text, contentUrl: text, type: text, channelId: text, ...teamId },
    'id',
  );
  return { team, channel, preview, file, post, tab };
}

const is = (body: Published['body']): Published => ({ status: 200, body });
const CREDENTIALS = {
  userCode: text,
  applicationId: v.nullable(uid),
  applicationCertificate: text,
  applicationCertificatePassword: text,
  userName: text,
  userPassword: text,
};

/** The bodies of the requests about what is below a team, by what follows it in their paths. */
export function teamBodies(version: Vb365Version): Readonly<Record<string, v.GenericSchema>> {
  const { team, file, post, tab } = getRows(version);
  const maybe = v.nullable(flag);
  const what = { restoreChangedItems: maybe, restoreMissingItems: maybe };
  return {
    'restore': need(
      {
        teams: v.array(team),
        ...what,
        restoreMembers: maybe,
        restoreSettings: maybe,
        impersonationAccountName: text,
        ...CREDENTIALS,
      },
      'restoreChangedItems',
      'restoreMissingItems',
      'restoreMembers',
      'restoreSettings',
    ),
    'channels/{id}/restore': need(
      {
        restoreChangedItems: flag,
        restoreMissingItems: flag,
        ...inV8(version, { restoreMembers: maybe }),
        ...CREDENTIALS,
      },
      'restoreChangedItems',
      'restoreMissingItems',
    ),
    'files/restore': need(
      {
        channelId: text,
        files: v.array(file),
        ...what,
        fileVersion: v.picklist(['All', 'Last']),
        ...CREDENTIALS,
      },
      'restoreChangedItems',
      'restoreMissingItems',
      'fileVersion',
    ),
    'channels/{id}/tabs/restore': need(
      {
        tabs: v.array(tab),
        restoreChangedTabs: flag,
        restoreMissingTabs: flag,
        ...CREDENTIALS,
      },
      'restoreChangedTabs',
      'restoreMissingTabs',
    ),
    'files/save': need({ channelId: text, files: v.array(file) }),
    [version === 'v8' ? 'channels/{id}/files/{id}/save' : 'files/{id}/save']: need({
      asZip: flag,
    }),
    'posts/save': need({ channelId: text, posts: v.array(post) }),
    'posts/{id}/save': need({}),
    'posts/export': need({
      posts: v.array(post),
      channelId: text,
      from: v.nullable(time),
      to: v.nullable(time),
    }),
  };
}

/** The requests about teams in a restore session. `page`: a page of rows. */
export function teamRequests(
  version: Vb365Version,
  page: (row: v.GenericSchema) => v.GenericSchema,
): Readonly<Record<string, Published>> {
  const { team, channel, preview, file, post, tab } = getRows(version);
  const teams = 'restoresessions/{id}/organization/teams';
  const issue = some({
    id: text,
    name: text,
    title: text,
    type: v.picklist(['Team', 'PostsTab', 'Post', 'TeamApp', 'Channel', 'Tab', 'File']),
    warnings: v.array(text),
    error: text,
  });
  const ended =
    version === 'v8'
      ? v.strictObject({ sessionId: uid })
      : some({
          totalItemsCount: int32,
          restoredItemsCount: int32,
          failedItemsCount: int32,
          skippedItemsCount: int32,
          restoreIssues: v.array(issue),
        });
  const file8 = version === 'v8' ? 'channels/{id}/files/{id}' : 'files/{id}';
  const commands = Object.keys(teamBodies(version)).map((path) => [
    `POST ${teams}/{id}/${path}`,
    is(path.endsWith('restore') ? ended : 'file'),
  ]);
  return {
    [`GET ${teams}`]: is(page(team)),
    [`GET ${teams}/{id}`]: is(team),
    [`GET ${teams}/{id}/channels`]: is(page(preview)),
    [`GET ${teams}/{id}/channels/{id}`]: is(channel),
    [`GET ${teams}/{id}/files`]: is(page(file)),
    [`GET ${teams}/{id}/${file8}`]: is(file),
    [`GET ${teams}/{id}/posts`]: is(page(post)),
    [`GET ${teams}/{id}/posts/{id}`]: is(post),
    [`GET ${teams}/{id}/channels/{id}/tabs`]: is(page(tab)),
    [`GET ${teams}/{id}/channels/{id}/tabs/{id}`]: is(tab),
    [`POST ${teams}/{id}/search`]: is(page(v.union([file, post, tab]))),
    [`POST ${teams}/{id}/channels/{id}/search`]: is(page(v.union([file, post, tab]))),
    [`POST ${teams}/{id}/files/search`]: is(page(file)),
    [`POST ${teams}/{id}/posts/search`]: is(page(post)),
    [`POST ${teams}/{id}/channels/{id}/tabs/search`]: is(page(tab)),
    [`GET ${teams}/{id}/${file8}/versions`]: is(page(file)),
    ...(Object.fromEntries(commands) as Record<string, Published>),
  };
}
