import * as v from 'valibot';
import { expect, test } from 'vitest';
import { getCall } from '#contract/calls.ts';
import {
  checkDraft,
  countChanges,
  fileFields,
  leavesPosts,
  mailFields,
  NEW_DRAFT,
  restoreRequest,
} from '#src/features/restore/task/draft.ts';
import type { RestoreDraft } from '#src/features/restore/task/draft.ts';

const SESSION = {
  id: '20000000-0000-4000-8000-000000000001',
  organization: '10000000-0000-4000-8000-000000000001',
};
const OTHER = '10000000-0000-4000-8000-000000000002';
const NODES = { nodes: ['i1.1', 'i1.2'] };
const USER = { id: 'user-2', name: 'Bob' };
const request = (draft: Partial<RestoreDraft>) =>
  restoreRequest({ ...NEW_DRAFT, ...draft }, NODES, SESSION);

/** The fields that are wrong. */
const wrong = (draft: Partial<RestoreDraft>): string[] =>
  Object.entries(checkDraft({ ...NEW_DRAFT, ...draft })).flatMap(([field, error]) =>
    error === null ? [] : [field],
  );

const accepts = (name: Parameters<typeof getCall>[0], input: unknown): boolean =>
  v.safeParse(getCall(name).input, input).success;

test('RES-34: another place needs a user and a reason, and a restore needs something to restore', () => {
  expect(wrong({})).toEqual([]);
  expect(wrong({ isOther: true })).toEqual(['user', 'reason']);
  expect(wrong({ isOther: true, user: USER, reason: '  ' })).toEqual(['reason']);
  expect(wrong({ isOther: true, user: USER, reason: 'Asked by phone' })).toEqual([]);
  expect(wrong({ deletedItems: false, changedItems: false })).toEqual(['what']);
});

test('RES-34: the flags of the form are sent as the specification names them', () => {
  expect(mailFields(request({}), true)).toEqual({
    restoreSessionId: SESSION.id,
    deletedItems: true,
    changedItems: true,
    onConflict: 'replace',
    dryRun: true,
    markRestoredAsUnread: false,
    excludeDeletedItems: false,
    excludeDrafts: false,
    excludeInPlaceHoldItems: false,
    excludeLitigationHoldItems: false,
  });
  const elsewhere = {
    isOther: true,
    user: USER,
    organization: OTHER,
    folder: ' Restored/Inbox ',
    reason: ' Asked by phone ',
    changedItems: false,
  };
  const mail = mailFields(
    request({
      ...elsewhere,
      flags: { ...NEW_DRAFT.flags, excludeDrafts: true, markRestoredAsUnread: true },
    }),
    false,
  );
  expect(mail).toMatchObject({
    mailbox: 'user-2',
    targetOrganizationId: OTHER,
    folder: 'Restored/Inbox',
    reason: 'Asked by phone',
    deletedItems: true,
    changedItems: false,
    markRestoredAsUnread: true,
    excludeDrafts: true,
    dryRun: false,
  });
  const files = fileFields(
    request({ ...elsewhere, folder: '', onConflict: 'keep-both', versions: 'all' }),
    false,
  );
  expect(files).toMatchObject({
    onedrive: 'user-2',
    onConflict: 'keep-both',
    documentVersion: 'All',
  });
  expect(files).not.toHaveProperty('folder');
  expect(files).not.toHaveProperty('mailbox');

  // What was entered for another place is not sent with the original one.
  const original = mailFields(request({ ...elsewhere, isOther: false }), false);
  for (const field of ['mailbox', 'targetOrganizationId', 'folder', 'reason'])
    expect(original).not.toHaveProperty(field);

  // The server takes them.
  expect(accepts('restoreMailItems', { ...mail, mailboxId: 'o1', items: NODES.nodes })).toBe(true);
  expect(accepts('restoreMailbox', { ...original, mailboxId: 'o1' })).toBe(true);
  expect(accepts('restoreDocuments', { ...files, onedriveId: 'o1', documents: ['i1.1'] })).toBe(
    true,
  );
});

const ended = (counts: Partial<Record<'restored' | 'merged' | 'skipped' | 'failed', number>>) => ({
  counts: { restored: 0, merged: 0, skipped: 0, failed: 0, ...counts },
});

test('RES-47: that posts stay is said where posts are written, and not of a run that writes nothing', () => {
  expect(leavesPosts(true, ended({ restored: 1 }))).toBe(true);
  expect(leavesPosts(true, ended({ merged: 1, failed: 2 }))).toBe(true);
  expect(leavesPosts(true, ended({ skipped: 3, failed: 1 }))).toBe(false);
  expect(leavesPosts(true, null)).toBe(false);
  expect(leavesPosts(false, ended({ restored: 1 }))).toBe(false);
});

test('RES-93: empty folders are something to restore, too', () => {
  expect(countChanges(ended({ skipped: 3, failed: 1 }))).toBe(0);
  expect(countChanges({ ...ended({ restored: 2, merged: 1, skipped: 3 }), folders: 4 })).toBe(7);
  expect(countChanges(null)).toBe(0);
});
