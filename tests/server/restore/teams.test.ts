import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import { openStoredRepository } from '#server/engine/embedded/repositories/repositories.ts';
import { writeTo } from '#server/engine/embedded/sessions/content-writer.ts';
import { anyDatabase } from '../db/databases.ts';
import { storeHistory } from '../engine/explorer/history.ts';
import { getValue } from '../engine/restic/fixtures.ts';
import { aLibrary, cookiesIn, type Library, openLibrary, readingsIn } from './content.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const message = (id: string, author: string, content: string, more: object = {}) => ({
  id,
  createdDateTime: '2026-03-02T07:30:00.000Z',
  from: { user: { id: author, displayName: author } },
  body: { contentType: 'html', content },
  ...more,
});
const THREAD = {
  post: message(
    '1',
    'Ann Calloway',
    '<p onclick="steal()">Plates <b>arrived</b><script>steal()</script></p><img src="https://graph.microsoft.com/v1.0/teams/t/channels/c/messages/1/hostedContents/aWQ/$value"><img src="https://track.example.com/a.gif">',
    { subject: 'Delivery' },
  ),
  replies: [message('2', 'Bob', 'Thanks &amp; bye')],
};

/** The reply was edited, and another one deleted. */
const EDITED = {
  ...THREAD,
  replies: [
    message('2', 'Bob', '<div>Thanks,</div><div>until Monday</div>'),
    message('3', 'Cora', 'Never mind', { deletedDateTime: '2026-03-02T08:00:00.000Z' }),
  ],
};

/** Stores a team with a channel: a post, a file and a tab. Later, the post is deleted or edited. */
async function storeTeam({ ground: fixture, office, ours }: Library, later = 'deleted') {
  const repository = getValue(
    await openStoredRepository(fixture.context, office.tenant, ours.repository),
  );
  const writer = writeTo(repository);
  const save = async (as: StoredPart['as'], content: Buffer, name?: string): Promise<StoredPart> =>
    getValue(await writer.save({ as, content, ...(name !== undefined && { name }) }));
  const thread = [
    await save('json', Buffer.from(JSON.stringify(THREAD))),
    await save('html', Buffer.from('<!doctype html><p>Plates arrived</p>')),
    await save('hosted', PIXEL, 'aWQ'),
  ];
  const edited = [await save('json', Buffer.from(JSON.stringify(EDITED)))];
  const file = [await save('raw', Buffer.from('plan'))];
  const tab = [await save('json', Buffer.from('{"displayName":"Weather"}'))];
  const settings = [await save('json', Buffer.from('{}'))];
  getValue(await writer.flush());
  await repository.close();
  const at = Date.UTC(2026, 2, 2);
  const folders = [
    { key: 'general', parent: null, name: 'General', wellKnown: 'channel' },
    { key: 'files', parent: 'general', name: 'Files', wellKnown: 'files' },
    { key: 'deep', parent: 'files', name: 'Deep' },
    { key: 'deepest', parent: 'deep', name: 'Deepest' },
    { key: 'tabs', parent: 'general', name: 'Tabs', wellKnown: 'tabs' },
    { key: 'board', parent: null, name: 'Board', wellKnown: 'private-channel' },
  ];
  const items = [
    { key: 'p', folder: 'general', title: 'Delivery', at, bytes: 9, kind: 'post', parts: thread },
    { key: 'f', folder: 'files', title: 'Plan.txt', at, bytes: 4, kind: 'file', parts: file },
    { key: 'd', folder: 'deep', title: 'Deep.txt', at, bytes: 4, kind: 'file', parts: file },
    { key: 't', folder: 'tabs', title: 'Weather', at, bytes: 4, kind: 'tab', parts: tab },
    { key: 's', folder: '', title: 'Yard', at, bytes: 2, kind: 'settings', parts: settings },
  ] as const;
  await storeHistory(
    fixture.context.store,
    office.tenant,
    [
      { folders, items },
      {
        folders,
        items: [
          ...items.filter(({ key }) => key !== 'p'),
          ...(later === 'edited' ? [{ ...items[0], parts: edited }] : []),
        ],
      },
    ],
    1,
    { ...ours, kind: 'team', name: 'Yard' },
  );
}

interface Page {
  readonly rows: readonly { readonly id: string; readonly name: string }[];
}

interface PageAnswer {
  readonly body: {
    readonly data: Page & { readonly next: string | null; readonly count: number | null };
  };
}

anyDatabase((kind, open) => {
  test(`RES-45, G63: a session shows teams, channels, posts, files and tabs as they were, deleted ones if asked to, and each reading is recorded (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours } = library;
    await storeTeam(library);
    const opened = await admin<{ id: string }>('POST', 'o365/restore/restoresessions', {
      organizationId: ours.organization,
      datetime: 1_900_000_000_000,
      sessionType: 'Vet',
      showDeleted: true,
    });
    const session = opened.body.data.id;
    const at = `o365/restore/restoresessions/${session}`;
    const page = async (path: string) => {
      const { status, body } = await admin<Page>('GET', `${at}/${path}`);
      expect([path, status]).toEqual([path, 200]);
      return body.data.rows;
    };
    expect(await page('teams')).toMatchObject([{ kind: 'team', name: 'Yard' }]);
    const channels = await page('teams/o1/channels');
    expect(channels).toMatchObject([
      { kind: 'channel', displayName: 'Board', membership: 'private' },
      { kind: 'channel', displayName: 'General', membership: 'standard' },
    ]);
    const general = `teams/o1/channels/${channels[1]?.id}`;
    expect(await page(`${general}/posts`)).toMatchObject([
      { kind: 'post', name: 'Delivery', deleted: true },
    ]);
    expect(await page(`${general}/posts?search=nothing`)).toEqual([]);
    const links = { restore: `/api/v1/${at}/teams/o1/files/restore` };
    const [deep, ...files] = await page(`${general}/files`);
    expect(deep).toMatchObject({
      kind: 'dir',
      name: 'Deep',
      fileType: 'Folder',
      channelId: channels[1]?.id,
      links,
    });
    expect(await page(`${general}/files?parentId=${deep?.id}`)).toMatchObject([
      { name: 'Deepest', channelId: channels[1]?.id },
      { name: 'Deep.txt', channelId: channels[1]?.id },
    ]);
    expect(files).toMatchObject([
      {
        kind: 'file',
        name: 'Plan.txt',
        fileType: 'File',
        channelId: channels[1]?.id,
        sizeBytes: 4,
        links,
      },
    ]);
    expect(await page(`${general}/tabs`)).toMatchObject([
      { kind: 'tab', displayName: 'Weather', channelId: channels[1]?.id },
    ]);
    expect(await page(`teams/o1/channels/${channels[0]?.id}/files`)).toEqual([]);
    // A folder of another channel, and that channel itself, are not below this one.
    const [board, own] = channels.map(({ id }) => id);
    for (const [channel, parent] of [
      [board, deep?.id],
      [board, own],
      [board, 'o1'],
      [deep?.id, deep?.id],
      ['o1', deep?.id],
    ]) {
      const path = `${at}/teams/o1/channels/${channel}/files?parentId=${parent}`;
      expect([channel, parent, (await admin('GET', path)).status]).toEqual([channel, parent, 404]);
    }
    const folders = await page(`teams/o1/folders?parentId=${channels[1]?.id}`);
    expect(folders).toMatchObject([
      {
        kind: 'dir',
        name: 'Files',
        holds: 'files',
        fileType: 'Folder',
        channelId: channels[1]?.id,
      },
      { kind: 'dir', name: 'Tabs', holds: 'tabs', channelId: channels[1]?.id },
    ]);
    expect(await page(`teams/o1/items?parentId=${folders[0]?.id}`)).toMatchObject([
      { kind: 'file', name: 'Plan.txt', channelId: channels[1]?.id },
    ]);
    expect(await page(`teams/o1/items?parentId=${deep?.id}`)).toMatchObject([
      { kind: 'file', name: 'Deep.txt', channelId: channels[1]?.id },
    ]);
    expect(await page(`teams/o1/items?parentId=${folders[1]?.id}`)).toMatchObject([
      { kind: 'tab', name: 'Weather', channelId: channels[1]?.id },
    ]);
    // Whatever the size of its pages, by cursor or by offset, the list is the same.
    const inDeep = `${general}/files?parentId=${deep?.id}`;
    for (const limit of [1, 2, 3]) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { body }: PageAnswer = await admin('GET', `${at}/${inDeep}&limit=${limit}${more}`);
        expect(body.data.rows.length).toBeLessThanOrEqual(limit);
        if (cursor === null) expect(body.data.count).toBe(2);
        found.push(...body.data.rows.map(({ name }) => name));
        cursor = body.data.next;
      } while (cursor !== null);
      expect([limit, found]).toEqual([limit, ['Deepest', 'Deep.txt']]);
      const second = await page(`${inDeep}&limit=${limit}&offset=1`);
      expect(second.map(({ name }) => name)).toEqual(['Deep.txt']);
    }
    expect((await admin('GET', `${at}/mailboxes`)).status).toBe(404);
    const size = await admin<object>('POST', `${at}/teams/download-size`, { nodes: ['o1'] });
    expect(size.body.data).toMatchObject({ items: 4, bytes: 14 });
    const reads = await readingsIn(library);
    // Each list that was read is one: a channel's files are three, with the folder that holds them.
    expect(reads.length).toBe(30);
  });

  test(`RES-81: two versions of a post are compared by its texts and those of its replies (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours } = library;
    await storeTeam(library, 'edited');
    const session = await openLibrary(admin, ours, 'Vet');
    const at = `o365/restore/restoresessions/${session}`;
    const posts = await admin<Page>('GET', `${at}/teams/o1/items?parentId=f1.1`);
    const [post] = posts.body.data.rows;
    const versions = await admin<Page>('GET', `${at}/versions?itemId=${post?.id}`);
    const [after, before] = versions.body.data.rows;
    const { body } = await admin<{
      isSameContent: boolean;
      lines: readonly { readonly kind: string; readonly text: string }[];
    }>('GET', `${at}/versions/compare?beforeId=${before?.id}&afterId=${after?.id}`);
    expect(body.data.isSameContent).toBe(false);
    const lines = body.data.lines.map(({ kind: change, text }) => [change, text.trim()]);
    expect(lines).toEqual([
      ['same', 'Ann Calloway, 2026-03-02T07:30'],
      ['same', 'Delivery'],
      ['same', 'Plates arrived'],
      ['same', ''],
      ['same', 'Bob, 2026-03-02T07:30'],
      ['removed', 'Thanks & bye'],
      ['added', 'Thanks,'],
      ['added', 'until Monday'],
    ]);
  });

  test(`RES-46, G64: a post is shown with its replies and pictures, clean, once, in the browser that asked (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, visit, office, ground: fixture } = library;
    await storeTeam(library);
    await fixture.context.store.tenant(office.tenant, async ({ sql: db }) => {
      await sql`update provider set branding = (branding::jsonb || '{"timeZone":"Asia/Tokyo"}')::json where tenant_id = ${office.tenant}`.execute(
        db,
      );
    });
    const session = await openLibrary(admin, ours, 'Vet');
    const ask = (post: string) =>
      admin<{ url: string }>(
        'POST',
        `o365/restore/restoresessions/${session}/teams/o1/posts/${post}/preview`,
        {},
      );
    const answer = await ask('i1.1');
    expect([answer.status, answer.body.data]).toMatchObject([
      200,
      { subject: 'Delivery', author: 'Ann Calloway', replies: 1, heldPictures: 1 },
    ]);
    const { url } = answer.body.data;
    expect((await visit(url)).status).toBe(404);
    const shown = await visit(url, cookiesIn(answer));
    expect(shown.status).toBe(200);
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(shown.text).toContain('Plates <b>arrived</b>');
    expect(shown.text).toContain('Thanks &amp; bye');
    // 07:30 UTC, as the provider's clocks show it.
    expect(shown.text.match(/03\/02\/26 04:30 PM/g)).toHaveLength(2);
    expect(shown.text).toContain(`data:image/png;base64,${PIXEL.toString('base64')}`);
    for (const hostile of ['steal', 'onclick', '<script', 'track.example.com'])
      expect(shown.text).not.toContain(hostile);
    expect((await visit(url, cookiesIn(answer))).status).toBe(404);
    expect((await ask('i2.1')).status).toBe(404);
    expect((await ask('i1.99')).status).toBe(404);
  });

  test(`DL-8: a file of a team is downloaded as it is, and a thread as HTML and JSON (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, read } = library;
    await storeTeam(library);
    const session = await openLibrary(admin, ours, 'Vet');
    const download = async (files: readonly string[]) => {
      const { status, body } = await admin<{ url: string; name: string; items: number }>(
        'POST',
        `o365/restore/restoresessions/${session}/teams/o1/files/download`,
        { files },
      );
      expect(status).toBe(200);
      return { ...body.data, bytes: (await read(body.data.url)).bytes };
    };
    const file = await download(['i1.2']);
    expect([file.name, file.bytes.toString()]).toEqual(['Plan.txt', 'plan']);
    const thread = await download(['i1.1']);
    expect(thread.name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d-teams-files\.zip$/);
    expect(thread.items).toBe(2);
    expect(thread.bytes.includes('Delivery.html')).toBe(true);
    expect(thread.bytes.includes('Delivery.json')).toBe(true);
    expect(thread.bytes.includes('Plates arrived')).toBe(true);
  });
});
