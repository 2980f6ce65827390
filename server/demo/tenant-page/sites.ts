import type { ItemRow } from '../tenant/drive-store.ts';
import type { ListItemRow } from '../tenant/list-store.ts';
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

const partPath = (site: string, kind: 'libraries' | 'lists', part: string): string =>
  `/sites/${encodeURIComponent(site)}/${kind}/${encodeURIComponent(part)}`;

/** All sites, with links to their libraries and lists. */
export function sitesTable(shown: ShownTenant): string {
  const { admin } = shown.tenant;
  const link = (site: string, kind: 'libraries' | 'lists', part: string, name: string): string =>
    `<a href="${BASE_PATH}/${shown.n}${partPath(site, kind, part)}">${escaped(name)}</a>`;
  return table(
    [t.site, t.address, t.contents],
    admin
      .listSites()
      .slice(0, MAX_SHOWN)
      .map(({ id, name, path }) => [
        escaped(name),
        escaped(`/${path}`),
        [
          ...admin.listLibraries(id).map((one) => link(id, 'libraries', one.id, one.name)),
          ...admin.listLists(id).map((one) => link(id, 'lists', one.id, one.name)),
        ].join(' · '),
      ]),
  );
}

const frame = (shown: ShownTenant, title: string, body: string): string =>
  page(
    title,
    `<nav aria-label="${t.sites}"><p><a href="${BASE_PATH}/${shown.n}">${t.backToSites}</a></p></nav>
<main>
${body}
</main>`,
  );

/** The files of a library, those changed last first; null if there is no such library. */
export function libraryPage(shown: ShownTenant, site: string, drive: string): string | null {
  const { admin } = shown.tenant;
  if (!admin.listSites().some(({ id }) => id === site)) return null;
  const library = admin.listLibraries(site).find(({ id }) => id === drive);
  if (!library) return null;
  const path = partPath(site, 'libraries', drive);
  const files = admin
    .listLibraryFiles(drive)
    .toSorted((a, b) => b.changed_at - a.changed_at)
    .slice(0, MAX_SHOWN);
  const cells = (file: ItemRow): string[] => [
    escaped(file.name),
    escaped(admin.getFolderPath(file)),
    t.bytes({ bytes: file.size }),
    String(file.version),
    time(file.changed_at),
    action(
      shown,
      `${path}/files/${file.id}/change`,
      t.changeThisFile,
      t.changeFile({ name: file.name }),
    ) +
      action(
        shown,
        `${path}/files/${file.id}/delete`,
        t.deleteThisFile,
        t.deleteFile({ name: file.name }),
      ),
  ];
  return frame(
    shown,
    t.filesIn({ name: library.name }),
    `${files.length === 0 ? `<p>${t.noFiles}</p>` : table([t.name, t.folder, t.size, t.version, t.changed, t.actions], files.map(cells))}
${action(shown, `${path}/files`, t.addFile)}`,
  );
}

/** The rows of a list, those changed last first; null if there is no such list. */
export function renderListPage(shown: ShownTenant, site: string, key: string): string | null {
  const { admin } = shown.tenant;
  const list = admin.listLists(site).find(({ id }) => id === key);
  if (!list) return null;
  const path = partPath(site, 'lists', key);
  const rows = admin
    .listRows(site, key)
    .toSorted((a, b) => b.changed_at - a.changed_at)
    .slice(0, MAX_SHOWN);
  const cells = (row: ListItemRow): string[] => {
    const { Title: title, ...values } = JSON.parse(row.fields) as Readonly<Record<string, unknown>>;
    const name = typeof title === 'string' ? title : String(row.n);
    return [
      escaped(name),
      escaped(
        Object.entries(values)
          .map(([column, value]) => `${column}: ${String(value)}`)
          .join(', '),
      ),
      String(row.version),
      time(row.changed_at),
      action(shown, `${path}/rows/${row.n}/change`, t.changeThisRow, t.changeRow({ name })) +
        action(shown, `${path}/rows/${row.n}/delete`, t.deleteThisRow, t.deleteRow({ name })),
    ];
  };
  return frame(
    shown,
    t.rowsIn({ name: list.name }),
    `${rows.length === 0 ? `<p>${t.noRows}</p>` : table([t.rowTitle, t.values, t.version, t.changed, t.actions], rows.map(cells))}
${action(shown, `${path}/rows`, t.addRow)}`,
  );
}
