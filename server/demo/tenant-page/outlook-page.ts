import { getItemName } from '../tenant/outlook/fill.ts';
import type { OutlookItem, OutlookItemKind } from '../tenant/outlook/store.ts';
import type { Person } from '../tenant/people.ts';
import {
  BASE_PATH,
  MAX_SHOWN,
  type ShownTenant,
  action,
  escaped,
  page,
  table,
  time,
} from './html.ts';
import { tenantPageMessages as t } from './messages.en.ts';

export const OUTLOOK_KINDS = ['event', 'contact', 'task'] as const;
const TITLES = { event: t.events, contact: t.contacts, task: t.tasks };
const ADD = { event: t.addEvent, contact: t.addContact, task: t.addTask };

/** A person's events, contacts and tasks, those changed last first. */
export function outlookPage(shown: ShownTenant, person: Person): string {
  const path = `/people/${person.id}/outlook`;
  const folders = new Map(
    shown.tenant.admin.outlook.listFolders(person.id).map(({ id, name }) => [id, name]),
  );
  const part = (kind: OutlookItemKind): string => {
    const items = shown.tenant.admin.outlook
      .list(person.id, kind)
      .toSorted((a, b) => b.changed_at - a.changed_at || b.n - a.n)
      .slice(0, MAX_SHOWN);
    return `<h2>${TITLES[kind]}</h2>
${
  items.length === 0
    ? `<p>${t.nothingHere}</p>`
    : table(
        [t.name, t.folder, t.changed, t.actions],
        items.map((item) => cells(shown, path, folders.get(item.folder_id) ?? '', item)),
      )
}
${action(shown, `${path}/${kind}`, ADD[kind])}`;
  };
  return page(
    t.outlookOf({ name: person.name }),
    `<nav aria-label="${t.people}"><p><a href="${BASE_PATH}/${shown.n}">${t.back}</a></p></nav>
<main>
${OUTLOOK_KINDS.map(part).join('\n')}
</main>`,
  );
}

function cells(shown: ShownTenant, path: string, folder: string, item: OutlookItem): string[] {
  const name = getItemName(item);
  const act = (verb: string, label: string, spoken: string): string =>
    action(shown, `${path}/${item.kind}/${encodeURIComponent(item.id)}/${verb}`, label, spoken);
  return [
    escaped(name),
    escaped(folder),
    time(item.changed_at),
    act('change', t.changeThisItem, t.changeItem({ name })) +
      act('delete', t.deleteThisItem, t.deleteItem({ name })),
  ];
}
