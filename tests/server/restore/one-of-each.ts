import type { ItemKind, ObjectKind } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import { openStoredRepository } from '#server/engine/embedded/repositories/repositories.ts';
import { writeTo } from '#server/engine/embedded/sessions/content-writer.ts';
import { storeHistory } from '../engine/explorer/history.ts';
import { getValue } from '../engine/restic/fixtures.ts';
import type { Library } from './content.ts';

const MIME = Buffer.from('From: ann@example.com\r\nSubject: Plans\r\n\r\nBody\r\n');
const THREAD = { post: { body: { content: 'Hello' } }, replies: [] };
const ROW = { fields: { Title: 'Row' }, columns: [] };

const item = (key: string, folder: string, kind: ItemKind, parts: readonly StoredPart[]) => ({
  key,
  folder,
  title: key,
  at: 1_700_000_000_000,
  bytes: 10,
  kind,
  parts,
});
const top = (key: string, name: string, wellKnown: string | null = null) => ({
  key,
  parent: null,
  name,
  ...(wellKnown !== null && { wellKnown }),
});

/** Backs up two of each kind, which have the same. */
export async function storeOneOfEach({ ground: fixture, office, ours }: Library): Promise<void> {
  const repository = getValue(
    await openStoredRepository(fixture.context, office.tenant, ours.repository),
  );
  const writer = writeTo(repository);
  const save = async (as: StoredPart['as'], content: Buffer): Promise<StoredPart[]> => [
    getValue(await writer.save({ as, content: new Uint8Array(content) })),
  ];
  const toJson = (value: unknown): Promise<StoredPart[]> =>
    save('json', Buffer.from(JSON.stringify(value)));
  const mail = await save('mime', MIME);
  const file = await save('raw', Buffer.from('plan'));
  const row = await toJson(ROW);
  const post = await toJson(THREAD);
  const tab = await toJson({ displayName: 'Weather' });
  getValue(await writer.flush());
  await repository.close();
  const store = async (
    kind: ObjectKind,
    objects: readonly [number, number],
    copy: Parameters<typeof storeHistory>[2][number],
  ): Promise<void> => {
    for (const object of objects)
      await storeHistory(fixture.context.store, office.tenant, [copy], object, { ...ours, kind });
  };
  await store('mailbox', [11, 12], {
    folders: [top('inbox', 'Inbox')],
    items: [item('mail', 'inbox', 'mail', mail)],
  });
  await store('drive', [21, 22], {
    folders: [top('plans', 'Plans')],
    items: [item('file', 'plans', 'file', file)],
  });
  await store('site', [31, 32], {
    folders: [
      top('library', 'Documents', 'library'),
      top('list', 'Tasks', 'list'),
      { key: 'old', parent: 'library', name: 'Old' },
    ],
    items: [
      item('file', 'library', 'file', file),
      item('row', 'list', 'row', row),
      item('former', 'old', 'file', file),
    ],
  });
  await store('team', [41, 42], {
    folders: [
      top('general', 'General', 'channel'),
      { key: 'files', parent: 'general', name: 'Files', wellKnown: 'files' },
      { key: 'tabs', parent: 'general', name: 'Tabs', wellKnown: 'tabs' },
    ],
    items: [
      item('post', 'general', 'post', post),
      item('file', 'files', 'file', file),
      item('tab', 'tabs', 'tab', tab),
    ],
  });
}
