import * as v from 'valibot';
import { expect, test } from 'vitest';
import { restoreCalls } from '#contract/restore/calls.ts';
import { SPEC } from './spec-calls.ts';

const OURS = [
  'GET o365/restore/approvals',
  'POST o365/restore/tasks/{taskId}/approve',
  'POST o365/restore/tasks/{taskId}/reject',
  'GET o365/restore/restoresessions/{restoreSessionId}/onedrives/{onedriveId}/folders/documents',
  'GET o365/restore/restoresessions/{restoreSessionId}/sites/{siteId}/items/{itemId}',
  'GET o365/restore/restoresessions/{restoreSessionId}/teams/{teamId}/folders',
  'GET o365/restore/restoresessions/{restoreSessionId}/teams/{teamId}/items',
  'POST o365/restore/restoresessions/{restoreSessionId}/teams/{teamId}/posts/{postId}/preview',
  'POST o365/restore/restoresessions/{restoreSessionId}/teams/{teamId}/posts/restore',
  'POST o365/restore/restoresessions/{restoreSessionId}/teams/download-size',
  'GET o365/restore/rights',
  'GET o365/restore/audit',
  'GET o365/restore/audit/export',
  'POST o365/operators/devicecode',
  'POST o365/operators/token',
  'GET o365/operators/start',
  'GET o365/operators/callback',
  'GET o365/operators/me',
  'POST o365/restore/restoresessions/{restoreSessionId}/mailboxes/{mailboxId}/items/{itemId}/preview',
  'GET o365/restore/search',
  'GET o365/restore/restoresessions/{restoreSessionId}/place',
  'POST o365/restore/restoresessions/{restoreSessionId}/nodes',
  'POST o365/restore/restoresessions/{restoreSessionId}/files/{fileId}/preview',
  'GET o365/restore/restoresessions/{restoreSessionId}/versions',
  'GET o365/restore/restoresessions/{restoreSessionId}/versions/compare',
  'GET o365/restore/restoresessions/{restoreSessionId}/compare',
  'GET o365/restore/restoresessions/{restoreSessionId}/compare/folder',
  'GET o365/restore/tasks',
  'GET o365/restore/tasks/{taskId}',
  'GET o365/restore/tasks/{taskId}/results',
  'GET o365/restore/tasks/{taskId}/estimate',
  'POST o365/restore/tasks/{taskId}/cancel',
  'POST o365/restore/tasks/{taskId}/undo',
  'POST o365/restore/tasks/{taskId}/retry',
];

test('RES-20, RES-21, RES-22, DL-8: the calls are those of the specification, and those of restore tasks and previews', () => {
  expect(
    Object.values(restoreCalls)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  ).toEqual([...SPEC, ...OURS].toSorted());
});

const ID = '0b7e2a3c-1111-4222-8333-444455556666';

test('RES-21: a restore takes every flag of the specification, and without any it restores what is missing and what has changed', () => {
  const of = { restoreSessionId: ID, mailboxId: 'o1' };
  const FLAGS = [
    'markRestoredAsUnread',
    'excludeDeletedItems',
    'excludeDrafts',
    'excludeInPlaceHoldItems',
    'excludeLitigationHoldItems',
  ];
  const input = {
    deletedItems: false,
    changedItems: true,
    ...Object.fromEntries(FLAGS.map((flag) => [flag, true])),
    mailbox: 'ann',
    folder: 'Restored/Mail',
    names: ['Report'],
  };
  expect(v.parse(restoreCalls.restoreMailbox.input, { ...of, ...input })).toEqual({
    ...of,
    ...input,
    dryRun: false,
  });
  expect(v.parse(restoreCalls.restoreMailbox.input, of)).toEqual({
    ...of,
    deletedItems: true,
    changedItems: true,
    dryRun: false,
    ...Object.fromEntries(FLAGS.map((flag) => [flag, false])),
  });
});

test('RES-20: folders are listed below a parent, Root or none is the top, and pages go on by cursor or offset', () => {
  const of = { restoreSessionId: ID, onedriveId: 'o1' };
  const read = (more: object) => v.parse(restoreCalls.listDocuments.input, { ...of, ...more });
  expect(read({ parentId: 'Root' }).parentId).toBeUndefined();
  expect(read({ parentId: 'f1.2' }).parentId).toBe('f1.2');
  expect(read({ offset: '400', limit: '200' })).toMatchObject({ offset: 400, limit: 200 });
  expect(read({ cursor: 'abc' })).toMatchObject({ cursor: 'abc' });
});
