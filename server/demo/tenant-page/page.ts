import { OUTBOX_CSS } from '../../platform/mail/outbox-page.ts';
import type { ItemRow } from '../tenant/drive-store.ts';
import { type FolderRow, type MessageRow, readProps } from '../tenant/mailbox-store.ts';
import type { Person } from '../tenant/people.ts';
import type { ChannelRow } from '../tenant/team-store.ts';
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
import { sitesTable } from './sites.ts';
import { tenantPageMessages as t } from './messages.en.ts';

export const TENANT_CSS = `${OUTBOX_CSS}
body { max-width: 64rem; }
.scroll { overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 1.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; padding: .5rem .75rem; border-bottom: 1px solid var(--line); vertical-align: middle; }
form { display: inline; }
td form { margin-inline-end: .5rem; }
button, select { font: inherit; min-height: 2.75rem; padding: .5rem .875rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); color: inherit; }
button:focus-visible, select:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
nav ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
`;

/** People and sign-in requests of a tenant, with links to the others. */
export function tenantPage(shown: ShownTenant, all: readonly ShownTenant[]): string {
  const { admin } = shown.tenant;
  const people = admin.listUsers().slice(0, MAX_SHOWN);
  const others = all.map(
    ({ n, provider, tenant }) =>
      `<li><a href="${BASE_PATH}/${n}"${n === shown.n ? ' aria-current="page"' : ''}>${escaped(t.tenantOf({ tenant: tenant.name, provider }))}</a></li>`,
  );
  return page(
    `${t.title}: ${shown.tenant.name}`,
    `<nav aria-label="${t.tenants}"><ul>${others.join('')}</ul></nav>
<main>
<h2>${t.codes}</h2>
${codes(shown, people)}
<h2>${t.applications}</h2>
${applications(shown)}
${action(shown, '/applications', t.registerApplication)}
<h2>${t.people}</h2>
${table(
  [t.name, t.address, t.department, t.actions],
  people.map((person) => [
    escaped(person.name),
    escaped(person.upn),
    escaped(person.department),
    personActions(shown, person),
  ]),
)}
${action(shown, '/people', t.addPerson)}
<h2>${t.teams}</h2>
${table(
  [t.name, t.channels],
  admin.teams.list().map((team) => [
    escaped(team.name),
    admin.teams
      .listChannels(team.id)
      .map((channel) => channelLink(shown, team.id, channel))
      .join(' · '),
  ]),
)}
<h2>${t.sites}</h2>
${sitesTable(shown)}
</main>`,
  );
}

const channelLink = (shown: ShownTenant, team: string, { n, name }: ChannelRow): string =>
  `<a href="${BASE_PATH}/${shown.n}/teams/${team}/channels/${n}">${escaped(name)}</a>`;

function codes(shown: ShownTenant, people: readonly Person[]): string {
  const waiting = shown.tenant.admin.listDeviceCodes();
  if (waiting.length === 0) return `<p>${t.noCodes}</p>`;
  const options = people
    .filter(({ enabled }) => enabled)
    .map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`)
    .join('');
  return table(
    [t.code, t.scopes, t.actions],
    waiting.map(({ userCode, scopes }) => [
      escaped(userCode),
      escaped(scopes.join(', ')),
      `<form method="post" action="${BASE_PATH}/${shown.n}/codes/${escaped(userCode)}/approve"><label>${t.approveAs} <select name="user">${options}</select></label> <button>${t.approve}</button></form>${action(shown, `/codes/${userCode}/decline`, t.decline)}`,
    ]),
  );
}

/** What applications may do without a person. A removed one works until its token expires. */
function applications(shown: ShownTenant): string {
  const all = shown.tenant.admin.listApplications();
  if (all.length === 0) return `<p>${t.noApplications}</p>`;
  return table(
    [t.name, t.scopes, t.actions],
    all.map(({ appId, displayName, roles }) => [
      escaped(displayName),
      escaped(roles.join(', ')),
      action(
        shown,
        `/applications/${appId}/remove`,
        t.removeThisApplication,
        t.removeApplication({ name: displayName }),
      ),
    ]),
  );
}

/** The credentials of a new application, shown once. */
export const registeredPage = (
  shown: ShownTenant,
  { appId, secret }: { readonly appId: string; readonly secret: string },
): string =>
  page(
    t.registered,
    `<main>
<p>${t.registeredHint}</p>
${table(
  [t.name, t.values],
  [
    [t.applicationId, appId],
    [t.applicationSecret, secret],
    [t.tenantDomain, shown.tenant.domain],
  ].map(([name = '', value = '']) => [name, `<code>${escaped(value)}</code>`]),
)}
<p><a href="${BASE_PATH}/${shown.n}">${t.back}</a></p>
</main>`,
  );

function personActions(shown: ShownTenant, person: Person): string {
  const path = `/people/${person.id}`;
  const hasMails = person.mailbox === 'user' || person.mailbox === 'shared';
  return [
    hasMails
      ? `<a href="${BASE_PATH}/${shown.n}${path}/mails" aria-label="${escaped(t.mailsOf({ name: person.name }))}">${t.mails}</a>`
      : '',
    hasMails
      ? `<a href="${BASE_PATH}/${shown.n}${path}/outlook" aria-label="${escaped(t.outlookOf({ name: person.name }))}">${t.outlook}</a>`
      : '',
    person.hasDrive
      ? `<a href="${BASE_PATH}/${shown.n}${path}/files" aria-label="${escaped(t.filesOf({ name: person.name }))}">${t.files}</a>`
      : '',
    action(shown, `${path}/remove`, t.removeThisPerson, t.removePerson({ name: person.name })),
  ].join(' ');
}

/** The mails of one folder, newest first. */
export function mailsPage(shown: ShownTenant, person: Person, folder: FolderRow): string {
  const { admin } = shown.tenant;
  const path = `/people/${person.id}/mails`;
  const rows = admin
    .listMessages(person.id, folder.id)
    .toSorted((a, b) => b.received_at - a.received_at)
    .slice(0, MAX_SHOWN);
  const folders = admin
    .listFolders(person.id)
    .filter(({ hidden, well_known }) => hidden === 0 && !isTop(well_known));
  const options = folders.map(
    (one) =>
      `<option value="${one.id}"${one.id === folder.id ? ' selected' : ''}>${escaped(getPath(folders, one))}</option>`,
  );
  return page(
    t.mailsOf({ name: person.name }),
    `<nav aria-label="${t.people}"><p><a href="${BASE_PATH}/${shown.n}">${t.back}</a></p></nav>
<main>
<form method="get" action="${BASE_PATH}/${shown.n}${path}"><label>${t.folder} <select name="folder">${options.join('')}</select></label> <button>${t.show}</button></form>
${
  rows.length === 0
    ? `<p>${t.noMails}</p>`
    : table(
        [t.subject, t.from, t.received, t.flags, t.actions],
        rows.map((row) => mailCells(shown, path, folder, row)),
      )
}
${rows.length === MAX_SHOWN ? `<p>${t.newest({ count: MAX_SHOWN })}</p>` : ''}
${action(shown, `${path}?folder=${folder.id}`, t.addMail)}
</main>`,
  );
}

const isTop = (wellKnown: string | null): boolean =>
  wellKnown === 'root' || wellKnown === 'msgfolderroot';

/** Returns the names of a folder and of those above it, `a/b`. */
function getPath(folders: readonly FolderRow[], { name, parent_id: parentId }: FolderRow): string {
  const parent = folders.find(({ id }) => id === parentId);
  return parent === undefined ? name : `${getPath(folders, parent)}/${name}`;
}

function mailCells(shown: ShownTenant, path: string, folder: FolderRow, row: MessageRow): string[] {
  const { subject, from, flag, importance, isDraft } = readProps(row);
  const isFlagged = flag['flagStatus'] === 'flagged';
  const flags = [
    row.read === 1 ? t.read : t.unread,
    ...(isDraft ? [t.draft] : []),
    ...(isFlagged ? [t.flagged] : []),
    ...(importance === 'high' ? [t.important] : []),
  ];
  const act = (verb: string, label: string, name: string): string =>
    action(
      shown,
      `${path}/${encodeURIComponent(row.stable_id)}/${verb}?folder=${folder.id}`,
      label,
      name,
    );
  return [
    escaped(subject),
    escaped(from?.name ?? ''),
    time(row.received_at),
    flags.join(', '),
    (isFlagged
      ? act('unflag', t.unflagThisMail, t.unflagMail({ subject }))
      : act('flag', t.flagThisMail, t.flagMail({ subject }))) +
      act('archive', t.archiveThisMail, t.archiveMail({ subject })) +
      act('delete', t.deleteThisMail, t.deleteMail({ subject })),
  ];
}

/** The files of a person's drive, those changed last first. */
export function filesPage(shown: ShownTenant, person: Person): string {
  const { admin } = shown.tenant;
  const path = `/people/${person.id}/files`;
  const files = admin
    .listFiles(person.id)
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
      `${path}/${file.id}/change`,
      t.changeThisFile,
      t.changeFile({ name: file.name }),
    ) +
      action(
        shown,
        `${path}/${file.id}/delete`,
        t.deleteThisFile,
        t.deleteFile({ name: file.name }),
      ),
  ];
  return page(
    t.filesOf({ name: person.name }),
    `<nav aria-label="${t.people}"><p><a href="${BASE_PATH}/${shown.n}">${t.back}</a></p></nav>
<main>
${files.length === 0 ? `<p>${t.noFiles}</p>` : table([t.name, t.folder, t.size, t.version, t.changed, t.actions], files.map(cells))}
${files.length === MAX_SHOWN ? `<p>${t.newest({ count: MAX_SHOWN })}</p>` : ''}
${action(shown, path, t.addFile)}
</main>`,
  );
}
