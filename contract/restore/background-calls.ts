import * as v from 'valibot';
import { call } from '../call.ts';
import { anyDownloadId } from '../paging.ts';
import { DOWNLOAD_FORMATS } from './shapes.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { DownloadId, OrganizationId } from '../ids.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const gate = 'o365.restorePortal';
const READ = ['bad-input', 'not-found', 'forbidden', 'conflict', 'busy'] as const;
const PATH = 'o365/restore/background-downloads';
const OF_DOWNLOAD = { id: anyDownloadId };
const progress = v.object({ done: v.number(), total: v.number() });

export const BACKGROUND_STATES = ['queued', 'running', 'ready', 'failed', 'cancelled'] as const;

/**
 * A file that is made in the background. `status`: the same as `state`. `isListed`: what it holds was
 * counted; before, `items` and `bytes` are estimates. `isExact`: the size is known before it is made.
 * `onServer`: the organization's own server makes it. `missing`: items without backed-up content;
 * `failed`: items that could not be read. `gaps`: the first 100 of both, of a single download. `parts`:
 * files that are ready; a last one names all of both.
 */
export const backgroundDownloadOut = v.object({
  _id: v.string(),
  id: storedIdSchema<DownloadId>(),
  name: v.string(),
  organizationId: storedIdSchema<OrganizationId>(),
  workload: v.picklist(['outlook', 'onedrive', 'sharepoint', 'teams']),
  format: v.picklist(DOWNLOAD_FORMATS),
  state: v.picklist(BACKGROUND_STATES),
  status: v.picklist(BACKGROUND_STATES),
  message: v.nullable(v.string()),
  items: progress,
  bytes: progress,
  isListed: v.boolean(),
  isExact: v.boolean(),
  onServer: v.boolean(),
  missing: v.number(),
  failed: v.number(),
  gaps: v.array(v.object({ path: v.string(), outcome: v.picklist(['missing', 'failed']) })),
  parts: v.array(
    v.object({ n: v.number(), name: v.string(), bytes: v.number(), sha256: v.string() }),
  ),
  createdAt: v.number(),
  endedAt: v.nullable(v.number()),
  /** When the files are deleted. */
  expiresAt: v.number(),
});

/** DL-3: downloads that the server prepares while nobody waits. They are their user's own. */
export const backgroundDownloadCalls = {
  listBackgroundDownloads: call({
    method: 'POST',
    path: PATH,
    summary: 'Lists your downloads in the background, newest first.',
    input: v.strictObject({
      offset: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
      limit: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(200)), 50),
    }),
    output: v.object({ results: v.array(backgroundDownloadOut), count: v.number() }),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  getBackgroundDownload: call({
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Returns a download in the background with its progress and its files.',
    input: v.strictObject(OF_DOWNLOAD),
    output: backgroundDownloadOut,
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  cancelBackgroundDownload: call({
    method: 'POST',
    path: `${PATH}/{id}`,
    summary: 'Cancels a download in the background and deletes its files.',
    input: v.strictObject({ ...OF_DOWNLOAD, action: v.literal('cancel') }),
    output: backgroundDownloadOut,
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  deleteBackgroundDownload: call({
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Deletes a download in the background and its files.',
    input: v.strictObject(OF_DOWNLOAD),
    output: v.object({ success: v.literal(true) }),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
  getBackgroundDownloadFile: call({
    method: 'GET',
    path: `${PATH}/{id}/file`,
    summary: 'Returns an address with which this browser downloads a finished file.',
    input: v.strictObject({
      ...OF_DOWNLOAD,
      part: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^[1-9]\d{0,5}$/, () => schemaMessages.wholeFromOne),
          v.transform(Number),
        ),
        '1',
      ),
    }),
    output: v.object({ url: v.string(), name: v.string(), bytes: v.number(), sha256: v.string() }),
    gate,
    operatorAllowed: true,
    failures: READ,
  }),
} as const;
