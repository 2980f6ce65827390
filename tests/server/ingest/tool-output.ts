import { expect } from 'vitest';
import { type Reader, type ToolQuery } from '#server/features/ingest/tools/tool-output.ts';

/**
 * Output of restic 0.14, borg 1.2.4 and borgmatic 1.7.7, recorded on the evening of 2026-11-22 in
 * Berlin, and how it is read.
 */

export const RECORDED = Date.parse('2026-11-22T20:00:00Z');
const plain: ToolQuery = {
  job: 'files',
  host: 'pc-1',
  exit: null,
  tz: null,
  schedule: null,
  graceSec: null,
};
export const read = (reader: Reader, body: string, more: Partial<ToolQuery> = {}) =>
  reader(body, { ...plain, ...more }, RECORDED);
export const getRun = (reader: Reader, body: string, more: Partial<ToolQuery> = {}) =>
  read(reader, body, more).executions[0]?.execution ?? expect.fail('no run');
