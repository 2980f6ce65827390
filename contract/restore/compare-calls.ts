import * as v from 'valibot';
import { CURSOR, listPageSchema } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { PRODUCTION_STATES, COMPARED_PROPERTIES } from '../engine/compare.ts';
import { ITEM_KINDS } from './search-calls.ts';
import { nodeId, OF_SESSION, READ_FAILURES } from './shapes.ts';
import { textDifference } from './version-calls.ts';

const gate = 'o365.restorePortal';

/**
 * Dates are in milliseconds, sizes in bytes, and `true` or `false` is the word. `production` is empty
 * if the item was deleted.
 */
const property = v.object({
  name: v.picklist(COMPARED_PROPERTIES),
  backup: v.string(),
  production: v.string(),
  isSame: v.boolean(),
});
const state = v.picklist(PRODUCTION_STATES);
const comparedOut = v.object({
  id: v.string(),
  kind: v.picklist(ITEM_KINDS),
  name: v.string(),
  people: v.string(),
  at: v.nullable(v.number()),
  sizeBytes: v.nullable(v.number()),
  state,
  /** What differs; empty: only the content, or nothing. */
  differing: v.array(v.picklist(COMPARED_PROPERTIES)),
});

/** RES-82: backed-up items beside what Microsoft 365 has now. */
export const restoreCompareCalls = {
  compareWithProduction: call({
    method: 'GET',
    path: 'o365/restore/restoresessions/{restoreSessionId}/compare',
    summary:
      'Compares a backed-up mail, event, contact, task or file with what Microsoft 365 has now.',
    input: v.strictObject({ ...OF_SESSION, itemId: nodeId }),
    output: v.object({
      state,
      properties: v.array(property),
      /** `hidden`: the role may not read it. `unknown`: it could not be read. */
      content: v.picklist(['same', 'changed', 'unknown', 'hidden']),
      ...textDifference,
    }),
    gate,
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
  compareFolderWithProduction: call({
    method: 'GET',
    path: 'o365/restore/restoresessions/{restoreSessionId}/compare/folder',
    summary:
      'Compares the items of a folder, mailbox or drive itself with what Microsoft 365 has now, page by page, the newest first.',
    input: v.strictObject({
      ...OF_SESSION,
      folderId: nodeId,
      ...CURSOR,
    }),
    output: listPageSchema(comparedOut),
    gate,
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
} as const;
