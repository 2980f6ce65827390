import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { aRandomOffice } from './restore/random/random-office.ts';

eachDatabase((kind, open) => {
  test(`ENG-70, RES-45: a contact folder and a calendar are in each restore point where they were then (${kind})`, async () => {
    const office = await aRandomOffice(await open(), 11);
    const { outlook } = office.admin;
    const { user } = office.targets;
    const add = async (path: string, body: unknown): Promise<string> => {
      const made = await office.send('POST', `/users/${user}/${path}`, body);
      expect(made.status).toBe(201);
      return ((await made.json()) as { readonly id: string }).id;
    };
    const addContact = (folder: string, displayName: string) =>
      add(`contactFolders/${folder}/contacts`, { displayName });
    const inner = await add('contactFolders', { displayName: 'Inner' });
    await addContact(inner, 'Ann');
    const group = await add('calendarGroups', { name: 'Former group' });
    const shifts = await add(`calendarGroups/${group}/calendars`, { name: 'Shifts' });
    const points = [await office.backUp()];

    // Into new ones, of which one is in another.
    const outer = await add('contactFolders', { displayName: 'Outer' });
    const path = `/users/${user}/contactFolders`;
    await office.send('PATCH', `${path}/${inner}`, { parentFolderId: outer });
    const outermost = await add('contactFolders', { displayName: 'Outermost' });
    await office.send('PATCH', `${path}/${outer}`, { parentFolderId: outermost });
    // People move calendars in Outlook; Graph can't.
    outlook.moveFolder(user, shifts, await add('calendarGroups', { name: 'New group' }));
    points.push(await office.backUp());

    // Only a folder above it.
    await office.send('PATCH', `${path}/${outer}`, { parentFolderId: 'contacts' });
    const own = outlook.listFolders(user).find((one) => one.well_known === 'mycalendars');
    outlook.moveFolder(user, shifts, own?.id ?? null);
    points.push(await office.backUp());

    const seen: string[][] = [];
    for (const { at } of points) {
      const nodes = await office.walk(await office.open('outlook', at));
      const paths = nodes.map((one) => one.path.join('/'));
      seen.push(paths.filter((one) => /\/(Shifts|Inner|Ann)$/.test(one)).toSorted());
    }
    expect(seen).toEqual([
      ['Calendars/Former group/Shifts', 'Contacts/Inner', 'Contacts/Inner/Ann'],
      [
        'Calendars/New group/Shifts',
        'Contacts/Outermost/Outer/Inner',
        'Contacts/Outermost/Outer/Inner/Ann',
      ],
      ['Calendars/Shifts', 'Contacts/Contacts/Outer/Inner', 'Contacts/Contacts/Outer/Inner/Ann'],
    ]);
  });
});
