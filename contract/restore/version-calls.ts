import * as v from 'valibot';
import { call } from '../call.ts';
import { filePreviewOut } from './preview.ts';
import { ITEM_KINDS } from './search-calls.ts';
import { nodeId, OF_SESSION, READ_FAILURES } from './shapes.ts';

const gate = 'o365.restorePortal';

/**
 * `people`: of a file, who changed it. `seen`: when the first and the last restore point that have
 * this version were made. `content`: versions with the same one differ in their properties alone.
 */
const versionOut = v.object({
  id: v.string(),
  kind: v.picklist(ITEM_KINDS),
  name: v.string(),
  people: v.string(),
  sizeBytes: v.nullable(v.number()),
  at: v.nullable(v.number()),
  /** Of a version of Microsoft 365's history: its name there, such as `3.0`. Else null. */
  version: v.nullable(v.string()),
  seen: v.object({ first: v.number(), last: v.number() }),
  content: v.string(),
});

/** How two texts differ. */
export const textDifference = {
  /** The text in order; null: there is none to compare. */
  lines: v.nullable(
    v.array(v.object({ kind: v.picklist(['same', 'removed', 'added']), text: v.string() })),
  ),
  /** Why there are no lines. */
  reason: v.nullable(v.picklist(['no-text', 'too-large', 'too-different'])),
};

/**
 * RES-81: the versions of an item up to the session's restore point, and how two of them differ. RES-90:
 * a file, also one of its versions, as a person sees it.
 */
export const restoreVersionCalls = {
  createFilePreview: call({
    method: 'POST',
    path: 'o365/restore/restoresessions/{restoreSessionId}/files/{fileId}/preview',
    summary:
      'Reads a picture, text or document of a OneDrive, site or team, and returns an address with which this browser shows it once within a minute.',
    input: v.strictObject({ ...OF_SESSION, fileId: nodeId }),
    output: filePreviewOut,
    gate,
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
  listItemVersions: call({
    method: 'GET',
    path: 'o365/restore/restoresessions/{restoreSessionId}/versions',
    summary: 'Lists the versions of an item up to the restore point of a session, newest first.',
    input: v.strictObject({ ...OF_SESSION, itemId: nodeId }),
    output: v.object({ rows: v.array(versionOut) }),
    gate,
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
  compareItemVersions: call({
    method: 'GET',
    path: 'o365/restore/restoresessions/{restoreSessionId}/versions/compare',
    summary: 'Compares two versions of an item: its head and its text, line by line.',
    input: v.strictObject({ ...OF_SESSION, beforeId: nodeId, afterId: nodeId }),
    output: v.object({
      isSameContent: v.boolean(),
      /** The head of a mail, event, contact or task. */
      fields: v.array(
        v.object({
          name: v.picklist(['subject', 'from', 'to', 'cc', 'sent', 'attachments']),
          before: v.string(),
          after: v.string(),
        }),
      ),
      ...textDifference,
    }),
    gate,
    operatorAllowed: true,
    failures: READ_FAILURES,
  }),
} as const;
