import { join } from 'node:path';
import { array, assert, integer, property } from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TenantTables } from '#server/demo/tenant/store.ts';
import { type DemoTenant, createDemoTenant } from '#server/demo/tenant/tenant.ts';
import { makeFolder } from '../engine/restic/fixtures.ts';
import { NOON, aCloud } from './fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PROOF = Number(process.env['PROOF'] ?? 1);

/** A working week begins on the Monday of NOON. */
function aTenant(seed: number, file: string | null = null): DemoTenant {
  const tenant = createDemoTenant({
    file,
    seed,
    now: () => NOON,
    size: { minMails: 5, maxMails: 10, minFiles: 4, maxFiles: 6, maxFileBytes: 3000, people: 10 },
  });
  onTestFinished(() => tenant.close());
  return tenant;
}

/** Everything that people see of a tenant. */
const getState = ({ admin }: DemoTenant): unknown =>
  admin.listUsers().map((user) => ({
    user,
    mails: user.mailbox === 'user' || user.mailbox === 'shared' ? admin.listMessages(user.id) : [],
    files: user.hasDrive ? admin.listFiles(user.id) : [],
  }));

test('GRAPH-11: tenants in memory that are made alike share nothing, and are what a file would have', () => {
  const first = aTenant(5);
  const made = getState(first);
  first.live(NOON + DAY);
  const second = aTenant(5);
  expect(getState(first)).not.toEqual(made);
  expect(getState(second)).toEqual(made);
  const stored = aTenant(5, join(makeFolder(), 'tenant.sqlite'));
  expect(getState(stored)).toEqual(made);
  for (const tenant of [second, stored]) tenant.live(NOON + DAY);
  expect(getState(second)).toEqual(getState(first));
  expect(getState(stored)).toEqual(getState(first));
});

test('GRAPH-11: life depends on seed and time alone, in one step or many', () => {
  const end = NOON + 6 * DAY;
  const [whole, other] = [aTenant(5), aTenant(6)];
  whole.live(end);
  other.live(end);
  const expected = getState(whole);
  expect(getState(other)).not.toEqual(expected);
  assert(
    property(array(integer({ min: 0, max: 6 * DAY }), { maxLength: 12 }), (stops) => {
      const tenant = aTenant(5);
      for (const stop of stops.toSorted((a, b) => a - b)) tenant.live(NOON + stop);
      tenant.live(end);
      expect(getState(tenant)).toEqual(expected);
    }),
    { numRuns: 4 * PROOF },
  );
});

test('GRAPH-11: mail arrives and is read, moved and deleted, files change, people leave and join', () => {
  const tenant = aTenant(11);
  const { admin } = tenant;
  const before = new Map(admin.listUsers().map((user) => [user.id, user]));
  const messages = (): Map<string, { folder: string; read: number }> =>
    new Map(
      admin
        .listUsers()
        .filter(({ mailbox }) => mailbox === 'user')
        .flatMap(({ id }) => admin.listMessages(id))
        .map(({ stable_id, folder_id, read }) => [stable_id, { folder: folder_id, read }]),
    );
  const files = () =>
    admin.listUsers().flatMap((user) => (user.hasDrive ? admin.listFiles(user.id) : []));
  const [mailsBefore, filesBefore] = [messages(), new Map(files().map((file) => [file.id, file]))];
  tenant.live(NOON + 40 * DAY);
  const [mailsAfter, filesAfter] = [messages(), files()];
  expect(mailsAfter.size).toBeGreaterThan(mailsBefore.size + 100);
  const changed = [...mailsBefore].map(([id, mail]) => [mail, mailsAfter.get(id)] as const);
  expect(changed.some(([old, now]) => now && now.folder !== old.folder)).toBe(true);
  expect(changed.some(([old, now]) => now && now.read > old.read)).toBe(true);
  expect(filesAfter.some(({ id }) => !filesBefore.has(id))).toBe(true);
  expect(
    filesAfter.some(({ id, version }) => version > (filesBefore.get(id)?.version ?? version)),
  ).toBe(true);
  const after = new Set(admin.listUsers().map(({ id }) => id));
  expect([...before.keys()].some((id) => !after.has(id))).toBe(true);
  expect([...after].some((id) => !before.has(id))).toBe(true);
});

test('GRAPH-11: what happened in a life arrives by delta queries', async () => {
  const cloud = await aCloud();
  const { admin } = cloud.tenant;
  const user =
    admin.listUsers().find(({ mailbox, hasDrive }) => mailbox === 'user' && hasDrive)?.id ?? '';
  const path = `/users/${user}/mailFolders/inbox/messages`;
  const copy = new Set<string>();
  const read = async (start: string): Promise<string> => {
    for (let next = start; ;) {
      const { body } = await cloud.page('message', next, { prefer: 'IdType="ImmutableId"' });
      for (const mail of body.value)
        if (mail['@removed']) copy.delete(mail.id);
        else copy.add(mail.id);
      if (body['@odata.deltaLink']) return body['@odata.deltaLink'];
      next = body['@odata.nextLink'];
    }
  };
  let link = `${path}/delta?$select=subject`;
  for (let day = 0; day <= 10; day += 1) {
    cloud.tenant.live(NOON + day * DAY);
    link = await read(link);
    expect([...copy].toSorted()).toEqual(
      admin
        .listMessages(user, 'inbox')
        .map(({ stable_id }) => stable_id)
        .toSorted(),
    );
  }
});

test('GRAPH-11: of a long pause, only the last part happens', () => {
  const tenant = aTenant(7);
  const end = NOON + 400 * DAY;
  const getMails = () =>
    tenant.admin
      .listUsers()
      .filter(({ mailbox }) => mailbox === 'user')
      .flatMap(({ id }) => tenant.admin.listMessages(id));
  tenant.live(end, 3 * DAY);
  const changes = getMails()
    .map(({ changed_at }) => changed_at)
    .filter((at) => at > NOON);
  expect(changes.length).toBeGreaterThan(3);
  expect(Math.min(...changes)).toBeGreaterThan(end - 3 * DAY - HOUR);
});

test('GRAPH-11: between two ticks of its life, a tenant reads no people', () => {
  const tenant = aTenant(9);
  tenant.live(NOON + HOUR);
  const reads = vi.spyOn(TenantTables.prototype, 'all');
  onTestFinished(() => reads.mockRestore());
  tenant.live(NOON + HOUR + 1);
  expect(reads).not.toHaveBeenCalled();
  tenant.live(NOON + 2 * HOUR);
  expect(reads).toHaveBeenCalled();
});
