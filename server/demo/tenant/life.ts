import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { type Rng, makeRng, pickOne, upTo } from '../random.ts';
import {
  changeContent,
  deleteItem,
  editContent,
  findChild,
  findUserDrive,
  type ItemRow,
  updateItem,
} from './drive-store.ts';
import {
  type MessageRow,
  deleteMessage,
  findFolder,
  moveMessage,
  updateMessage,
} from './mailbox-store.ts';
import { fillOutlook, liveOutlook } from './outlook/fill.ts';
import { type Person, addPerson, listPeople, removePerson } from './people.ts';
import { type TenantSize, fillPerson, makeFile, makeMessage } from './seed.ts';
import { liveSites } from './site-content.ts';
import type { Tenant } from './store.ts';
import { liveTeams } from './team-life.ts';

const TICK_MS = 600_000;
/** Once a day, at nine. */
const COME_AND_GO_MS = 9 * 3_600_000;
const MIN_PEOPLE = 8;

/** Remembers when the tenant was made: its life begins there. */
export function beginLife(tenant: Tenant): void {
  tenant.store.writeMeta('lived_until', String(Math.floor(tenant.now() / TICK_MS) * TICK_MS));
}

/**
 * Lives on tick by tick. What happens in a tick depends on the seed, its time and the state before.
 * Of a longer pause, only the last `maxMs` happen.
 */
export function live(tenant: Tenant, until: Ms, size: TenantSize, maxMs: Ms): void {
  const { store } = tenant;
  const since = Math.max(
    Number(store.readMeta('lived_until')),
    Math.floor((until - maxMs) / TICK_MS) * TICK_MS,
  );
  // Called before each request: most are in the tick of the one before.
  if (since + TICK_MS > until) return;
  const listActive = (): Person[] => listPeople(tenant).filter(({ hasContent }) => hasContent);
  let people = listActive();
  for (let at = since + TICK_MS; at <= until; at += TICK_MS) {
    store.transaction(() => {
      const random = makeRng(tenant.seed, 'life', at / TICK_MS);
      const then = { ...tenant, now: () => at };
      if (at % DAY_MS === COME_AND_GO_MS) {
        peopleComeAndGo(then, people, random, size);
        people = listActive();
      }
      liveTick(then, people, { random, at, size });
      store.writeMeta('lived_until', String(at));
    });
  }
}

function liveTick(
  tenant: Tenant,
  people: readonly Person[],
  { random, at, size }: { readonly random: Rng; readonly at: Ms; readonly size: TenantSize },
): void {
  const time = new Date(at);
  const [hour, day] = [time.getUTCHours(), time.getUTCDay()];
  const isBusy = day > 0 && day < 6 && hour >= 7 && hour < 18;
  for (const person of people) {
    if (person.mailbox === 'user' || person.mailbox === 'shared')
      liveMailbox(tenant, person, people, { random, at, isBusy });
    if (person.hasDrive && isBusy) liveDrive(tenant, person, { random, at, size });
  }
  if (isBusy) liveTeams(tenant, at);
  if (isBusy) liveSites(tenant, people, { at, size });
  liveOutlook(tenant, people, { at, isBusy });
}

function peopleComeAndGo(
  tenant: Tenant,
  people: readonly Person[],
  random: Rng,
  size: TenantSize,
): void {
  if (random() < 1 / 20)
    fillPerson(tenant, addPerson(tenant), people, {
      ...size,
      minMails: 1,
      maxMails: 3,
      minFiles: 1,
      maxFiles: 3,
    });
  fillOutlook(tenant);
  // The first person administers the tenant and stays.
  const leaving = people[1 + upTo(random, people.length - 1)];
  if (random() < 1 / 20 && leaving && people.length > MIN_PEOPLE) removePerson(tenant, leaving.id);
}

function liveMailbox(
  tenant: Tenant,
  person: Person,
  people: readonly Person[],
  { random, at, isBusy }: { readonly random: Rng; readonly at: Ms; readonly isBusy: boolean },
): void {
  const { store } = tenant;
  const folder = (name: string) => findFolder(tenant, person.id, name);
  const arrive = (name: string): void =>
    makeMessage(tenant, person, people, {
      random,
      folder: folder(name),
      at: at - upTo(random, 500) * 1000,
      serial: store.seq(),
    });
  const pick = (name: string): MessageRow | undefined =>
    store.get<MessageRow>(
      'select * from message where folder_id = ? order by n limit 1 offset ?',
      folder(name).id,
      upTo(random, 30),
    );
  if (random() < (isBusy ? 0.05 : 0.006)) arrive('inbox');
  if (isBusy && random() < 0.02) arrive('sentitems');
  if (isBusy && random() < 0.04) {
    const unread = store.get<MessageRow>(
      'select * from message where folder_id = ? and read = 0 order by n limit 1',
      folder('inbox').id,
    );
    if (unread) updateMessage(tenant, unread, { isRead: true });
  }
  if (isBusy && random() < 0.015) {
    const mail = pick('inbox');
    if (mail)
      moveMessage(
        tenant,
        mail,
        folder(pickOne(['archive', 'deleteditems', 'deleteditems'], random)),
      );
  }
  if (random() < 0.006) {
    const mail = pick('deleteditems');
    if (mail) deleteMessage(tenant, mail);
  }
}

function liveDrive(
  tenant: Tenant,
  person: Person,
  { random, at, size }: { readonly random: Rng; readonly at: Ms; readonly size: TenantSize },
): void {
  const { store } = tenant;
  const rolls = [random() < 0.02, random() < 0.008, random() < 0.003, random() < 0.004] as const;
  const drive = rolls.includes(true) ? findUserDrive(tenant, person.id) : null;
  if (!drive) return;
  const [isSaved, isAdded, isDeleted, isRenamed] = rolls;
  const pick = (isFolder: 0 | 1): ItemRow | undefined => {
    const items = store.all<ItemRow>(
      'select * from item where drive_id = ? and is_folder = ? and deleted = 0 order by n',
      drive.id,
      isFolder,
    );
    return items[upTo(random, items.length)];
  };
  if (isSaved) {
    const file = pick(0);
    if (file) changeContent(tenant, file, editContent(file), file.author);
  }
  if (isAdded) {
    const folder = pick(1);
    if (folder)
      makeFile(tenant, person, {
        driveId: drive.id,
        parentId: folder.id,
        random,
        serial: store.seq(),
        maxBytes: size.maxFileBytes,
        at,
      });
  }
  if (isDeleted) {
    const file = pick(0);
    if (file) deleteItem(tenant, file);
  }
  if (isRenamed) {
    const file = pick(0);
    const name = file?.name.replace(/( v\d+)?(\.\w+)$/, ` v${file.version + 1}$2`);
    if (file?.parent_id && name !== undefined && !findChild(tenant, file.parent_id, name))
      updateItem(tenant, file, { name });
  }
}
