import type { Ms } from '#contract/ids.ts';
import { type Rng, makeRng, pickOne, getUuid } from '../random.ts';
import { isoTime } from './ids.ts';
import type { GraphEntity } from './odata.ts';
import type { Tenant } from './store.ts';

/** `inactive`: kept after its user lost the license, and unreachable through Graph, as `none` is. */
export type MailboxKind = 'user' | 'shared' | 'inactive' | 'none';

export interface Person {
  readonly n: number;
  readonly id: string;
  readonly upn: string;
  readonly givenName: string;
  readonly surname: string;
  readonly name: string;
  readonly department: string;
  readonly jobTitle: string;
  readonly mail: string | null;
  readonly enabled: boolean;
  readonly licensed: boolean;
  readonly mailbox: MailboxKind;
  readonly hasDrive: boolean;
  /** Whether mails and files were made for this person; entries of a large directory have none. */
  readonly hasContent: boolean;
  readonly createdAt: Ms;
  readonly removed: boolean;
  readonly seq: number;
}

interface Row {
  readonly n: number;
  readonly id: string;
  readonly upn: string;
  readonly given_name: string;
  readonly surname: string;
  readonly name: string;
  readonly department: string;
  readonly job_title: string;
  readonly mail: string | null;
  readonly enabled: number;
  readonly licensed: number;
  readonly mailbox: string;
  readonly has_drive: number;
  readonly content: number;
  readonly created_at: number;
  readonly removed: number;
  readonly seq: number;
}

const asPerson = (row: Row): Person => ({
  n: row.n,
  id: row.id,
  upn: row.upn,
  givenName: row.given_name,
  surname: row.surname,
  name: row.name,
  department: row.department,
  jobTitle: row.job_title,
  mail: row.mail,
  enabled: row.enabled === 1,
  licensed: row.licensed === 1,
  mailbox: row.mailbox as MailboxKind,
  hasDrive: row.has_drive === 1,
  hasContent: row.content === 1,
  createdAt: row.created_at,
  removed: row.removed === 1,
  seq: row.seq,
});

export const listPeople = ({ store }: Tenant): Person[] =>
  store.all<Row>('select * from person where removed = 0 order by n').map(asPerson);

export const listChangedPeople = ({ store }: Tenant, since: number, until: number): Person[] =>
  store
    .all<Row>('select * from person where seq > ? and seq <= ? order by seq', since, until)
    .map(asPerson);

/** Returns a person by id or user principal name, removed ones too. */
export function findPerson({ store }: Tenant, key: string): Person | null {
  const row = store.get<Row>('select * from person where id = ? or upn = ?', key, key);
  return row ? asPerson(row) : null;
}

const GIVEN = [
  'Ada',
  'Benedikt',
  'Chiara',
  'Dev',
  'Elif',
  'Fergus',
  'Greta',
  'Hiro',
  'Ines',
  'Jonas',
  'Keiko',
  'Lukas',
  'Mara',
  'Noor',
  'Oskar',
  'Priya',
  'Quentin',
  'Ruth',
  'Sören',
  'Tamsin',
  'Ulla',
  'Viktor',
  'Wanda',
  'Xenia',
  'Yusuf',
  'Zoë',
  'Agnes',
  'Bastian',
  'Celeste',
  'Dario',
  'Esther',
  'Florian',
] as const;
const FAMILY = [
  'Ahlberg',
  'Brandt',
  'Carver',
  'Duarte',
  'Ekström',
  'Fairley',
  'Grünwald',
  'Hallam',
  'Ibarra',
  'Jennings',
  'Kowal',
  'Lindqvist',
  'Moreau',
  'Novák',
  'Okafor',
  'Pembroke',
  'Quill',
  'Rasmussen',
  'Strand',
  'Thorne',
  'Ueda',
  'Varga',
  'Whitlock',
  'Yilmaz',
  'Zeller',
  'Ashworth',
  'Birkett',
] as const;
const ROLES = [
  ['Management', 'Managing director'],
  ['Finance', 'Accountant'],
  ['Operations', 'Operations manager'],
  ['Sales', 'Account manager'],
  ['Engineering', 'Design engineer'],
  ['Finance', 'Controller'],
  ['Logistics', 'Dispatcher'],
  ['Engineering', 'Surveyor'],
  ['Sales', 'Sales assistant'],
  ['Workshop', 'Fitter'],
] as const;

const getAscii = (text: string): string =>
  text
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

export interface NewPerson {
  readonly mailbox?: MailboxKind;
  readonly hasDrive?: boolean;
  readonly hasContent?: boolean;
  readonly name?: { readonly given: string; readonly family: string };
}

/** Adds a person with an invented name, or the given one. */
export function addPerson(tenant: Tenant, input: NewPerson = {}): Person {
  const { store, seed, domain } = tenant;
  const n = store.nextN('person');
  const random = makeRng(seed, 'person', n);
  const supplied = input.name?.given ?? getName(GIVEN, n, random, seed);
  const family = input.name?.family ?? getName(FAMILY, n * 5, random, seed);
  const letters = [supplied, family].map(getAscii).filter((part) => part !== '');
  const plain = letters.length === 0 ? `person${n}` : letters.join('.');
  const isTaken = (name: string): boolean => findPerson(tenant, `${name}@${domain}`) !== null;
  const nickname = isTaken(plain) ? `${plain}${n}` : plain;
  const [department, title] = ROLES[(n - 1) % ROLES.length] ?? ROLES[0];
  const mailbox = input.mailbox ?? 'user';
  const id = getUuid(seed, 'person', n);
  store.insert('person', {
    n,
    id,
    upn: `${nickname}@${domain}`,
    given_name: supplied,
    surname: family,
    name: family === '' ? supplied : `${supplied} ${family}`,
    department,
    job_title: mailbox === 'shared' ? '' : title,
    mail: mailbox === 'none' ? null : `${nickname}@${domain}`,
    enabled: mailbox === 'shared' || mailbox === 'inactive' ? 0 : 1,
    licensed: mailbox === 'user' ? 1 : 0,
    mailbox,
    has_drive: (input.hasDrive ?? mailbox === 'user') ? 1 : 0,
    content: (input.hasContent ?? true) ? 1 : 0,
    created_at: tenant.now() - Math.floor(random() * 900) * 86_400_000,
    seq: store.nextSeq(),
  });
  const person = findPerson(tenant, id);
  if (!person) throw new Error('a person that was just added is missing');
  return person;
}

/** The first names of a tenant differ; later ones are drawn. */
const getName = (
  list: readonly [string, ...string[]],
  n: number,
  random: Rng,
  seed: number,
): string =>
  n <= list.length * 5 ? (list[(n + seed * 7) % list.length] ?? list[0]) : pickOne(list, random);

/** Deletes a user: its mailbox and drive can't be reached from then on. */
export function removePerson({ store }: Tenant, id: string): void {
  store.run(
    'update person set removed = 1, enabled = 0, seq = ? where id = ?',
    store.nextSeq(),
    id,
  );
  store.run('delete from member where person_id = ?', id);
}

export const SKU = {
  id: '3b555118-da6a-4418-894f-7df1e2096870',
  part: 'O365_BUSINESS_ESSENTIALS',
  plans: [
    {
      id: '9aaf7827-d63c-4b61-89c3-182f06f82e5c',
      name: 'EXCHANGE_S_STANDARD',
      service: 'exchange',
    },
    {
      id: 'c7699d2e-19aa-44de-8edf-1736da088ca1',
      name: 'SHAREPOINTSTANDARD',
      service: 'SharePoint',
    },
    { id: '57ff2da0-773e-42df-b2af-ffb7a2317929', name: 'TEAMS1', service: 'TeamspaceAPI' },
  ],
} as const;

/** What is returned of a user without `$select`. */
export const USER_DEFAULTS = [
  'businessPhones',
  'displayName',
  'givenName',
  'jobTitle',
  'mail',
  'mobilePhone',
  'officeLocation',
  'preferredLanguage',
  'surname',
  'userPrincipalName',
] as const;

export function userEntity(person: Person): GraphEntity {
  return {
    id: person.id,
    businessPhones: [],
    displayName: person.name,
    givenName: person.surname === '' ? null : person.givenName,
    jobTitle: person.jobTitle === '' ? null : person.jobTitle,
    mail: person.mail,
    mobilePhone: null,
    officeLocation: null,
    preferredLanguage: 'en-GB',
    surname: person.surname === '' ? null : person.surname,
    userPrincipalName: person.upn,
    accountEnabled: person.enabled,
    assignedLicenses: person.licensed ? [{ disabledPlans: [], skuId: SKU.id }] : [],
    assignedPlans: person.licensed
      ? SKU.plans.map((plan) => ({
          assignedDateTime: isoTime(person.createdAt),
          capabilityStatus: 'Enabled',
          service: plan.service,
          servicePlanId: plan.id,
        }))
      : [],
    city: null,
    companyName: null,
    country: null,
    createdDateTime: isoTime(person.createdAt),
    department: person.department,
    deletedDateTime: null,
    employeeId: null,
    externalUserState: null,
    mailNickname: person.upn.split('@')[0] ?? '',
    onPremisesSyncEnabled: null,
    otherMails: [],
    proxyAddresses: person.mail === null ? [] : [`SMTP:${person.mail}`],
    usageLocation: 'GB',
    userType: 'Member',
  };
}
