import * as fc from 'fast-check';
import { sql as lit } from 'kysely';
import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { type Copy, POINT_AT, storeHistory } from '../engine/explorer/history.ts';
import type { Asker } from '../sync/fixtures.ts';
import { openSession, someBackups, type Backups } from './fixtures.ts';
import { signInOperator, storeDirectory } from './operators.ts';

const REQUESTS = 1_000 * Number(process.env['PROOF'] ?? 1);
const ROUNDS = 20;

type Item = { readonly type: 'User' | 'Group' | 'Team' | 'Site'; readonly id: string };
interface Role {
  readonly name: string;
  readonly operators: readonly Item[];
  readonly roleType: 'EntireOrganization' | 'SpecificObjects';
  readonly selectedItems: readonly Item[];
  readonly excludedItems: readonly Item[];
  readonly withoutReading: boolean;
  readonly mayDownload: boolean;
  readonly needsSecondPerson: boolean;
}

/** Backed-up objects by number. The stored history gives object N the id `user-N`. */
const OBJECTS = {
  1: 'mailbox',
  2: 'mailbox',
  4: 'mailbox',
  5: 'drive',
  6: 'site',
  7: 'site',
  8: 'team',
} as const;
type N = keyof typeof OBJECTS;
const NUMBERS = [1, 2, 4, 5, 6, 7, 8] as const;
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'group-1': ['user-1', 'user-5', 'user-11'],
  'group-2': ['user-4', 'user-12'],
  'group-3': [],
};
/** The site above each site. */
const ABOVE: Readonly<Record<string, string>> = { 'user-7': 'user-6' };
const OPERATORS = ['user-11', 'user-12', 'user-13'] as const;
const SESSIONS = { mailbox: 'Vex', drive: 'Veod', site: 'Vesp', team: 'Vet' } as const;

interface Rights {
  readonly reads: boolean;
  readonly downloads: boolean;
}

/** The slow, obvious way: what one operator may do with one object. Null: it doesn't exist. */
function judge(roles: readonly Role[], operator: string, n: N): Rights | null {
  const id = `user-${n}`;
  const kind = OBJECTS[n];
  const names = (items: readonly Item[]): boolean => {
    for (const item of items) {
      if (kind === 'team') {
        if (item.type === 'Team' && item.id === id) return true;
      } else if (kind === 'site') {
        for (let at: string | undefined = id; at !== undefined; at = ABOVE[at])
          if (item.type === 'Site' && item.id === at) return true;
      } else {
        if (item.type === 'User' && item.id === id) return true;
        if (item.type === 'Group' && GROUPS[item.id]?.includes(id) === true) return true;
      }
    }
    return false;
  };
  let rights = null as Rights | null;
  for (const role of roles) {
    const isOperator = role.operators.some(
      (one) =>
        (one.type === 'User' && one.id === operator) ||
        (one.type === 'Group' && GROUPS[one.id]?.includes(operator) === true),
    );
    if (!isOperator) continue;
    const isSelected = role.roleType === 'EntireOrganization' || names(role.selectedItems);
    if (!isSelected || names(role.excludedItems)) continue;
    rights = {
      reads: rights?.reads === true || !role.withoutReading,
      downloads: rights?.downloads === true || (role.mayDownload && !role.withoutReading),
    };
  }
  return rights;
}

const getCopies = (n: number, kind: string): readonly Copy[] => [
  {
    folders: [{ key: 'top', parent: null, name: 'Top' }],
    items: [1, 2].map((item) => ({
      key: `${n}-${item}`,
      folder: 'top',
      title: `secret ${n} of ${item}`,
      at: 1_700_000_000_000 + item,
      bytes: 10 * n,
      kind: kind === 'mailbox' ? 'mail' : kind === 'site' || kind === 'drive' ? 'file' : 'post',
    })),
  },
];

const item = fc.oneof(
  fc.record({
    type: fc.constant('User' as const),
    id: fc.constantFrom('user-1', 'user-2', 'user-4', 'user-5'),
  }),
  fc.record({ type: fc.constant('Group' as const), id: fc.constantFrom(...Object.keys(GROUPS)) }),
  fc.record({ type: fc.constant('Site' as const), id: fc.constantFrom('user-6', 'user-7') }),
  // An id of another kind names nothing.
  fc.record({
    type: fc.constant('Team' as const),
    id: fc.constantFrom('user-8', 'user-1', 'user-6'),
  }),
);
const operator = fc.oneof(
  fc.record({ type: fc.constant('User' as const), id: fc.constantFrom(...OPERATORS) }),
  fc.record({
    type: fc.constant('Group' as const),
    id: fc.constantFrom('group-1', 'group-2', 'group-3'),
  }),
);
const anyRole = fc
  .record({
    operators: fc.array(operator, { minLength: 1, maxLength: 2 }),
    roleType: fc.constantFrom(
      'SpecificObjects' as const,
      'SpecificObjects' as const,
      'EntireOrganization' as const,
    ),
    selectedItems: fc.uniqueArray(item, { minLength: 1, maxLength: 4, selector: getItemKey }),
    excludedItems: fc.uniqueArray(item, { maxLength: 2, selector: getItemKey }),
    withoutReading: fc.boolean(),
    mayDownload: fc.boolean(),
    needsSecondPerson: fc.boolean(),
  })
  .map((role): Omit<Role, 'name'> => ({
    ...role,
    mayDownload: role.mayDownload && !role.withoutReading,
    excludedItems: role.excludedItems.filter(
      (one) => !role.selectedItems.some((other) => getItemKey(other) === getItemKey(one)),
    ),
  }));
function getItemKey({ type, id }: Item): string {
  return `${type} ${id}`;
}

const WHATS = [
  'objects',
  'folders',
  'items',
  'search',
  'text-search',
  'everywhere',
  'size',
  'read',
  'download',
  'dry-run',
] as const;

interface Listed {
  readonly rows: readonly { readonly id: string; readonly name: string }[];
  readonly count: number | null;
}

interface FoundEverywhere {
  readonly rows: readonly { readonly name: string; readonly object: { readonly id: string } }[];
  readonly count: number | null;
}

/** Paths of a kind of object: its list, its items, and what is asked about one item. */
const PATHS: Readonly<Record<string, { readonly list: string; readonly restore: string }>> = {
  mailbox: { list: 'mailboxes', restore: 'items/restore' },
  drive: { list: 'onedrives', restore: 'documents/restore' },
  site: { list: 'sites', restore: 'documents/restore' },
  team: { list: 'teams', restore: 'posts/restore' },
};

async function addRole({ admin, ours }: Backups, role: Role): Promise<string> {
  const { status, text, body } = await admin<{ id: string }>(
    'POST',
    `o365/organizations/${ours.organization}/restore-roles`,
    role,
  );
  if (status !== 200) throw new Error(text);
  return body.data.id;
}

anyDatabase((kind, open) => {
  test(`G63, RES-53: random requests of random operators get exactly what their roles are about, and what they may do with it (${kind})`, async () => {
    const backups = await someBackups(await open());
    const { ground: fixture, office, admin, ours } = backups;
    // The mailboxes 1 and 2 are there; 3 is another organization's.
    for (const n of NUMBERS.slice(2))
      await storeHistory(fixture.context.store, office.tenant, getCopies(n, OBJECTS[n]), n, {
        ...ours,
        kind: OBJECTS[n],
      });
    await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      await sql
        .updateTable('backup_object')
        .set({ parent_id: 'user-6' })
        .where('tenant_id', '=', tenant)
        .where('n', '=', 7)
        .execute();
      // The contents of all items have this word.
      await sql
        .insertInto('item_text')
        .columns(['tenant_id', 'object_n', 'n', 'text'])
        .expression((from) =>
          from
            .selectFrom('item')
            .select([
              'tenant_id',
              'object_n',
              'n',
              lit<string>`lower(title) || ' cellar'`.as('text'),
            ])
            .where('tenant_id', '=', tenant),
        )
        .execute();
    });
    await storeDirectory(
      backups,
      ours.organization,
      [
        ...['user-1', 'user-2', 'user-4', 'user-5', ...OPERATORS].map((id) => ({
          kind: 'user' as const,
          id,
        })),
        ...Object.keys(GROUPS).map((id) => ({ kind: 'group' as const, id })),
        { kind: 'site', id: 'user-6' },
        { kind: 'site', id: 'user-7', parent: 'user-6' },
        { kind: 'team', id: 'user-8' },
      ],
      GROUPS,
    );
    // Roles that were created while the tenant didn't answer name anything.
    backups.recording.failing.set('listObjects', { kind: 'unreachable', message: 'No answer.' });
    const everything = await addRole(backups, {
      name: 'Everything',
      operators: OPERATORS.map((id) => ({ type: 'User', id })),
      roleType: 'EntireOrganization',
      selectedItems: [],
      excludedItems: [],
      withoutReading: false,
      mayDownload: true,
      needsSecondPerson: false,
    });
    const people = new Map<string, { who: Asker; sessions: Record<string, string> }>();
    for (const person of OPERATORS) {
      const who = await signInOperator(backups, ours.organization, person);
      const sessions: Record<string, string> = {};
      for (const [of, sessionType] of Object.entries(SESSIONS))
        sessions[of] = await openSession(who, ours, { sessionType, datetime: POINT_AT(9) });
      people.set(person, { who, sessions });
    }
    const path = `o365/organizations/${ours.organization}/restore-roles`;
    await admin('DELETE', `${path}/${everything}`);

    const random = fc.sample(
      fc.record({
        person: fc.constantFrom(...OPERATORS),
        n: fc.constantFrom(...NUMBERS),
        what: fc.constantFrom(...WHATS),
      }),
      { numRuns: REQUESTS, seed: 63 },
    );
    const drafts = fc.sample(fc.array(anyRole, { minLength: 1, maxLength: 3 }), {
      numRuns: ROUNDS,
      seed: 64,
    });
    let isIn = 0;
    for (const [round, draft] of drafts.entries()) {
      fixture.pass(1);
      const roles = draft.map((role, index): Role => ({ ...role, name: `Role ${index}` }));
      const ids: string[] = [];
      for (const role of roles) ids.push(await addRole(backups, role));
      const share = Math.ceil(REQUESTS / ROUNDS);
      for (const { person, n, what } of random.slice(round * share, (round + 1) * share)) {
        const of = OBJECTS[n];
        const { who, sessions } = people.get(person) ?? { who: admin, sessions: {} };
        const at = `o365/restore/restoresessions/${sessions[of]}/${PATHS[of]?.list}`;
        const rights = judge(roles, person, n);
        const isOperator = NUMBERS.some((one) => judge(roles, person, one) !== null);
        const hasRole = roles.some((role) =>
          role.operators.some(
            ({ type, id }) => (type === 'User' && id === person) || GROUPS[id]?.includes(person),
          ),
        );
        const about = JSON.stringify({ roles, person, n, what });
        if (isOperator) expect([about, hasRole]).toEqual([about, true]);
        const none = hasRole ? 404 : 403;
        const shown = (title: string): string =>
          rights?.reads === true || of === 'site' || of === 'drive' ? title : 'Hidden';
        const wanted = rights === null ? none : 200;
        const owner = n === 1 ? 'Ann' : n === 2 ? 'Bob' : null;
        const items =
          owner === null ? [`secret ${n} of 2`, `secret ${n} of 1`] : [`${owner} mail 3`];
        const top = `f${n}.1`;
        const first = owner === null ? `i${n}.1` : `i${n}.3`;
        if (what === 'objects') {
          const { status, body } = await who<Listed>('GET', `${at}?search=Person`);
          expect([about, status]).toEqual([about, hasRole ? 200 : 403]);
          if (status === 200) {
            const expected = NUMBERS.filter(
              (one) => OBJECTS[one] === of && judge(roles, person, one) !== null,
            );
            const { rows, count } = body.data;
            expect([about, rows.map(({ id }) => id)]).toEqual([
              about,
              expected.map((one) => `o${one}`),
            ]);
            expect([about, count]).toEqual([about, expected.length]);
          }
        } else if (what === 'folders') {
          const { status, body } = await who<Listed>(
            'GET',
            `${at}/o${n}/${of === 'site' ? 'content' : 'folders'}`,
          );
          expect([about, status]).toEqual([about, wanted]);
          if (status === 200 && of !== 'site')
            expect([about, body.data.rows.map(({ id }) => id)]).toEqual([about, [top]]);
        } else if (what === 'items' || what === 'search' || what === 'text-search') {
          const list = of === 'drive' ? 'folders/documents' : of === 'site' ? 'documents' : 'items';
          const search =
            what === 'text-search'
              ? 'cellar'
              : what === 'search'
                ? owner === null
                  ? 'secret'
                  : 'mail 3'
                : null;
          const query = search === null ? '' : `&search=${encodeURIComponent(search)}`;
          const { status, body } = await who<Listed>(
            'GET',
            `${at}/o${n}/${list}?parentId=${top}${query}&sort=name`,
          );
          expect([about, status]).toEqual([about, wanted]);
          if (status === 200) {
            const isHidden =
              what === 'text-search'
                ? rights?.reads !== true
                : search !== null && shown('x') === 'Hidden';
            const found = isHidden ? [] : items.map(shown).toSorted();
            const { rows, count } = body.data;
            expect([about, rows.map(({ name }) => name).toSorted()]).toEqual([about, found]);
            expect([about, count]).toEqual([about, found.length]);
          }
        } else if (what === 'everywhere') {
          // By the people, all that the roles are about; by the title, only what shows its title; by
          // the content, only what may be read.
          const text = ['ann@example.com', 'secret', 'mail', 'cellar'][n % 4] ?? '';
          const { status, body } = await who<FoundEverywhere>(
            'GET',
            `o365/restore/search?organizationId=${ours.organization}&search=${text}`,
          );
          expect([about, status]).toEqual([about, hasRole ? 200 : 403]);
          if (status === 200) {
            const expected = NUMBERS.flatMap((one) => {
              const own = judge(roles, person, one);
              const titles =
                one === 1 || one === 2
                  ? [1, 2, 3].map((mail) => `${one === 1 ? 'Ann' : 'Bob'} mail ${mail}`)
                  : [1, 2].map((row) => `secret ${one} of ${row}`);
              const isShown = own?.reads === true || ['site', 'drive'].includes(OBJECTS[one]);
              if (own === null) return [];
              if (text === 'cellar')
                return own.reads ? titles.map((title) => `o${one} ${title}`) : [];
              if (text.includes('@'))
                return titles.map((title) => `o${one} ${isShown ? title : 'Hidden'}`);
              return isShown
                ? titles.filter((title) => title.includes(text)).map((title) => `o${one} ${title}`)
                : [];
            });
            const found = body.data.rows.map(({ object, name }) => `${object.id} ${name}`);
            expect([about, text, found.toSorted()]).toEqual([about, text, expected.toSorted()]);
            expect([about, body.data.count]).toEqual([about, expected.length]);
          }
        } else if (what === 'size') {
          const { status, body } = await who<{ items: number; bytes: number }>(
            'POST',
            `${at}/download-size`,
            { nodes: [`o${n}`] },
          );
          expect([about, status]).toEqual([about, wanted]);
          if (status === 200) expect(body.data.items).toBe(2);
        } else if (what === 'read') {
          if (of !== 'mailbox') continue;
          const { status, text } = await who('POST', `${at}/o${n}/items/${first}/preview`, {});
          expect([about, status]).toEqual([
            about,
            rights === null ? none : rights.reads ? 404 : 403,
          ]);
          // Readable, but these mails have no stored content.
          expect([about, text.includes('could not be backed up')]).toEqual([
            about,
            rights?.reads === true,
          ]);
        } else if (what === 'download') {
          if (of === 'team' || of === 'site') continue;
          const { status, text } = await who('POST', `${at}/o${n}/download`, {});
          // Nothing here has stored content: a mailbox is listed in the background, a drive at once.
          const allowed = of === 'mailbox' ? 200 : 404;
          expect([about, status]).toEqual([
            about,
            rights === null ? none : rights.downloads ? allowed : 403,
          ]);
          expect([about, text.includes("role doesn't allow")]).toEqual([
            about,
            rights !== null && !rights.downloads,
          ]);
        } else {
          const list = { mailbox: 'items', drive: 'documents', site: 'documents', team: 'posts' }[
            of
          ];
          const { status } = await who('POST', `${at}/o${n}/${PATHS[of]?.restore}`, {
            [list]: [first],
            dryRun: true,
          });
          expect([about, status]).toEqual([about, wanted]);
        }
        if (rights !== null) isIn += 1;
      }
      for (const id of ids) await admin('DELETE', `${path}/${id}`);
    }
    // Neither everything nor nothing was in scope.
    expect(isIn).toBeGreaterThan(REQUESTS / 10);
    expect(isIn).toBeLessThan(REQUESTS);
  });
});
