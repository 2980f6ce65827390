import { expect, test } from 'vitest';
import { mailboxSource } from '#server/engine/embedded/sources/outlook/mailbox.ts';
import { mailboxWriter } from '#server/engine/embedded/sources/outlook/writer.ts';
import type { SourceObject } from '#server/engine/embedded/types.ts';
import { getValue } from '../graph/fixtures.ts';
import { backUp, getInput, NO_ITEMS } from './restoring.ts';
import type { Stored } from './restoring.ts';
import { losing, ordinaryPeople, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

const ROLES = [
  'Mail.ReadWrite',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'User.Read.All',
];
const IMPORT_ROLES = [...ROLES, 'MailboxItem.ImportExport.All'];
const KINDS = ['event', 'contact', 'task'] as const;
type Kind = (typeof KINDS)[number];

async function aMailbox(options: Parameters<typeof tenantGraph>[0] = {}) {
  const graph = tenantGraph({ roles: ROLES, mails: 1, files: 1, ...options });
  const [person] = ordinaryPeople(graph);
  const object: SourceObject = { kind: 'mailbox', id: person?.id ?? '', name: '', address: '' };
  const stored = await backUp(graph, mailboxSource(graph.ports), object);
  return {
    graph,
    object,
    stored: stored.filter(({ item }) => item.kind !== 'mail'),
    writer: mailboxWriter(graph.ports),
  };
}
const ofKind = (stored: readonly Stored[], kind: Kind): Stored[] =>
  stored.filter(({ item }) => item.kind === kind);

const toId = (key: string): string => key.split(':').at(-1) ?? '';

/** What a person sees of an item: everything but what the cloud numbers itself. */
function visible({ tenant }: TenantGraph, { id }: SourceObject, kind: Kind, key: string) {
  const row = tenant.admin.outlook
    .list(id, kind)
    .find((one) => one.id === toId(key) || one.stable_id === toId(key));
  if (!row) return null;
  const { iCalUId: _uid, id: _id, ...props } = JSON.parse(row.props) as Record<string, unknown>;
  return { folder: row.folder_id, photo: row.photo === null ? null : [...row.photo], props };
}
const countMails = ({ tenant }: TenantGraph): number =>
  tenant.admin
    .listUsers()
    .filter(({ mailbox }) => mailbox === 'user' || mailbox === 'shared')
    .reduce((sum, { id }) => sum + tenant.admin.listMessages(id).length, 0);

test.each(KINDS)(
  'ENG-71: a deleted %s is written back to its folder as it was, by its stream or by what is known of it',
  async (kind) => {
    for (const roles of [ROLES, IMPORT_ROLES]) {
      const { graph, object, stored, writer } = await aMailbox({ roles });
      const mails = countMails(graph);
      expect(ofKind(stored, kind).length).toBeGreaterThan(0);
      for (const one of ofKind(stored, kind)) {
        const before = visible(graph, object, kind, one.item.key);
        graph.tenant.admin.outlook.remove(object.id, kind, toId(one.item.key));
        expect(getValue(await writer.find(one.place, one.item, graph.call))).toBeNull();
        const written = getValue(
          await writer.write(one.place, one.item, getInput(one), graph.call),
        );
        const after = visible(graph, object, kind, written.key);
        expect(after?.folder).toBe(before?.folder);
        expect(after?.photo).toEqual(before?.photo);
        if (roles === IMPORT_ROLES && kind === 'contact')
          expect(after?.props).toEqual(before?.props);
        // Restored twice, nothing happens.
        const found = getValue(await writer.find(one.place, one.item, graph.call));
        expect([one.item.title, found?.isSame]).toEqual([one.item.title, true]);
        expect(found?.key).toBe(written.key);
      }
      expect(countMails(graph)).toBe(mails);
    }
  },
);

test('ENG-71: nobody is invited: the stream keeps the attendees, and without it the text names them', async () => {
  for (const roles of [ROLES, IMPORT_ROLES]) {
    const { graph, object, stored, writer } = await aMailbox({ roles });
    const meetings = ofKind(stored, 'event').filter(({ parts }) =>
      Buffer.from(parts.get('json') ?? [])
        .toString()
        .includes('"attendees":[{'),
    );
    expect(meetings.length).toBeGreaterThan(1);
    const mails = countMails(graph);
    for (const one of meetings) {
      graph.tenant.admin.outlook.remove(object.id, 'event', toId(one.item.key));
      const { attendees } = JSON.parse(Buffer.from(one.parts.get('json') ?? []).toString()) as {
        attendees: { emailAddress: { address: string } }[];
      };
      const written = getValue(await writer.write(one.place, one.item, getInput(one), graph.call));
      const props = visible(graph, object, 'event', written.key)?.props ?? {};
      for (const { emailAddress } of attendees)
        if (roles === ROLES) expect(JSON.stringify(props['body'])).toContain(emailAddress.address);
        else expect(JSON.stringify(props['attendees'])).toContain(emailAddress.address);
      expect(Array.isArray(props['attendees'])).toBe(roles === IMPORT_ROLES);
    }
    expect(countMails(graph)).toBe(mails);
  }
});

test('ENG-71: a series comes back with what was moved and without what was canceled', async () => {
  const { graph, object, stored, writer } = await aMailbox();
  const series = ofKind(stored, 'event').find(({ item }) => item.title === 'Monday meeting');
  if (!series) throw new Error('no series');
  const before = visible(graph, object, 'event', series.item.key)?.props;
  graph.tenant.admin.outlook.remove(object.id, 'event', toId(series.item.key));
  const written = getValue(
    await writer.write(series.place, series.item, getInput(series), graph.call),
  );
  const after = visible(graph, object, 'event', written.key)?.props as Record<string, never>;
  expect(after['cancelled']).toEqual(before?.['cancelled']);
  expect(after['exceptions']).toMatchObject([{ props: { subject: 'Monday meeting (moved)' } }]);
  expect(after['recurrence']).toEqual(before?.['recurrence']);
  expect(JSON.stringify(after['start'])).toContain('T09:00:00');
});

test('ENG-71: an item goes to another mailbox, whose folders are created and removed when they are empty', async () => {
  const { graph, stored, writer } = await aMailbox();
  const other = ordinaryPeople(graph)[1];
  const object: SourceObject = { kind: 'mailbox', id: other?.id ?? '', name: '', address: '' };
  for (const [kind, top, path] of [
    [
      'event',
      'calendars',
      [
        { name: 'Kept', wellKnown: 'calendar-group' },
        { name: 'Old', wellKnown: null },
      ],
    ],
    [
      'contact',
      'contacts',
      [
        { name: 'Kept', wellKnown: null },
        { name: 'Old', wellKnown: null },
      ],
    ],
    ['task', 'tasks', [{ name: 'Old', wellKnown: null }]],
  ] as const) {
    const [one] = ofKind(stored, kind);
    if (!one) throw new Error('nothing');
    const place = { object, path: [{ name: '', wellKnown: top }, ...path] };
    expect(getValue(await writer.findFolder(place, graph.call))).toBeNull();
    const folder = getValue(await writer.ensureFolder(place, graph.call));
    expect(folder.created).toHaveLength(path.length);
    expect(getValue(await writer.findFolder(place, graph.call))).toBe(folder.key);
    const written = getValue(await writer.write(place, one.item, getInput(one), graph.call));
    expect(visible(graph, object, kind, written.key)?.folder).toBe(toId(folder.key));
    expect(await writer.removeFolder(object, folder.key, graph.call, NO_ITEMS)).toMatchObject({
      ok: false,
      error: { kind: 'conflict' },
    });
    getValue(await writer.remove(object, written, graph.call));
    for (const key of folder.created.toReversed())
      getValue(await writer.removeFolder(object, key, graph.call, NO_ITEMS));
    expect(
      graph.tenant.admin.outlook.listFolders(object.id).some(({ name }) => name === 'Old'),
    ).toBe(false);
  }
});

test('ENG-71: an item is replaced and removed only in the state in which it was found', async () => {
  const { graph, object, stored, writer } = await aMailbox();
  const { outlook } = graph.tenant.admin;
  for (const kind of KINDS) {
    const one = ofKind(stored, kind).find(
      ({ parts }) =>
        !Buffer.from(parts.get('json') ?? [])
          .toString()
          .includes('"attendees":[{'),
    );
    if (!one) throw new Error('nothing');
    outlook.change(object.id, kind, toId(one.item.key));
    const found = getValue(await writer.find(one.place, one.item, graph.call));
    expect(found).toMatchObject({ key: one.item.key, isSame: false });
    outlook.change(object.id, kind, toId(one.item.key));
    const input = getInput(one, { replaces: found });
    expect(await writer.write(one.place, one.item, input, graph.call)).toMatchObject({
      ok: false,
      error: { kind: 'conflict' },
    });
    const now = getValue(await writer.find(one.place, one.item, graph.call));
    const again = getInput(one, { replaces: now });
    const written = getValue(await writer.write(one.place, one.item, again, graph.call));
    expect(visible(graph, object, kind, one.item.key)).toBeNull();
    outlook.change(object.id, kind, toId(written.key));
    expect(await writer.remove(object, written, graph.call)).toMatchObject({
      ok: false,
      error: { kind: 'conflict' },
    });
  }
});

test('ENG-71: a meeting whose attendees would get a mail is neither replaced nor removed, and says why', async () => {
  const { graph, object, stored, writer } = await aMailbox();
  const meeting = ofKind(stored, 'event').find(({ item }) => item.title === 'Monday meeting');
  if (!meeting) throw new Error('no meeting');
  const mails = countMails(graph);
  graph.tenant.admin.outlook.change(object.id, 'event', toId(meeting.item.key));
  const found = getValue(await writer.find(meeting.place, meeting.item, graph.call));
  const input = getInput(meeting, { replaces: found });
  for (const result of [
    await writer.write(meeting.place, meeting.item, input, graph.call),
    await writer.remove(object, found ?? { key: '', changeKey: '' }, graph.call),
  ])
    expect(result).toMatchObject({ ok: false, error: { kind: 'unsupported' } });
  expect(countMails(graph)).toBe(mails);
});

test.each(KINDS)('ENG-28, ENG-71: a lost response leads to no second %s', async (kind) => {
  for (const roles of [ROLES, IMPORT_ROLES]) {
    const loss = losing();
    const { graph, object, stored, writer } = await aMailbox({ roles, over: loss.over });
    const { outlook } = graph.tenant.admin;
    const items = ofKind(stored, kind).slice(0, 4);
    expect(items.length).toBeGreaterThan(0);
    for (const [lost, one] of items.entries()) {
      outlook.remove(object.id, kind, toId(one.item.key));
      const others = outlook.list(object.id, kind).length;
      loss.next(lost);
      const first = await writer.write(one.place, one.item, getInput(one), graph.call);
      loss.next(null);
      const found = getValue(await writer.find(one.place, one.item, graph.call));
      if (!first.ok && !found?.isSame)
        getValue(await writer.write(one.place, one.item, getInput(one), graph.call));
      expect([lost, outlook.list(object.id, kind).length]).toEqual([lost, others + 1]);
    }
  }
});
