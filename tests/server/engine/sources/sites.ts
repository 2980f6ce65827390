import type { SourceObject } from '#server/engine/embedded/types.ts';
import type { TenantGraph } from './tenant.ts';

/** A site of the demo tenant with libraries, lists and a site below it. */
export function getSite({ tenant }: TenantGraph, name = 'Intranet'): SourceObject {
  const site = tenant.admin.listSites().find((one) => one.name === name);
  if (!site) throw new Error('no site');
  return {
    kind: 'site',
    id: site.id,
    name: site.name,
    address: `https://demo.sharepoint.com/${site.path}`,
  };
}

/** What people do in a site. */
export const SITE_CHANGES = [
  'change-file',
  'delete-file',
  'add-file',
  'add-row',
  'change-row',
  'delete-row',
  'add-list',
  'rename-list',
  'remove-list',
  'rename-library',
] as const;

export function changeSite(
  { tenant: { admin } }: TenantGraph,
  site: string,
  what: (typeof SITE_CHANGES)[number],
  which: number,
): void {
  const pick = <T>(rows: readonly T[]): T | undefined => rows[which % Math.max(1, rows.length)];
  const drive = pick(admin.listLibraries(site));
  const list = pick(admin.listLists(site));
  const file = drive && pick(admin.listLibraryFiles(drive.id));
  const row = list && pick(admin.listRows(site, list.id));
  switch (what) {
    case 'change-file':
      if (drive && file) admin.changeLibraryFile(drive.id, file.id);
      return;
    case 'delete-file':
      if (drive && file) admin.deleteLibraryFile(drive.id, file.id);
      return;
    case 'add-file':
      if (drive) admin.addLibraryFile(drive.id);
      return;
    case 'add-row':
      if (list) admin.addRow(site, list.id);
      return;
    case 'change-row':
      if (list && row) admin.changeRow(site, list.id, row.n);
      return;
    case 'delete-row':
      if (list && row) admin.deleteRow(site, list.id, row.n);
      return;
    case 'add-list': {
      const added = admin.addList(
        site,
        `List ${admin.listSites().length} ${which}`.slice(0, 40) + admin.listLists(site).length,
      );
      admin.addRow(site, added.id, { Title: `First of ${which}` });
      return;
    }
    case 'rename-list':
      if (list) admin.renameList(site, list.id, `Renamed ${list.n}`);
      return;
    case 'remove-list':
      if (list && admin.listLists(site).length > 1) admin.removeList(site, list.id);
      return;
    case 'rename-library':
      if (drive) admin.renameList(site, drive.id, `Papers ${which % 7} ${drive.name}`.slice(0, 30));
      return;
    default:
      what satisfies never;
  }
}

/** All files and rows as the tenant's own tables have them: the slow oracle. */
export const listSiteCopy = ({ tenant: { admin } }: TenantGraph, site: string): string[] =>
  [
    ...admin
      .listLibraries(site)
      .flatMap((drive) =>
        admin
          .listLibraryFiles(drive.id)
          .map((file) =>
            [
              'file ',
              drive.name,
              ...admin.getFolderPath(file).split('/').filter(Boolean),
              file.name,
            ].join('/'),
          ),
      ),
    ...admin
      .listLists(site)
      .flatMap((list) =>
        admin
          .listRows(site, list.id)
          .map((row) => `row /${list.name}/${(JSON.parse(row.fields) as { Title: string }).Title}`),
      ),
  ].sort();
