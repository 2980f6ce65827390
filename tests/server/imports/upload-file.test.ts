import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeUploadFiles } from '#server/engine/embedded/imports/upload-file.ts';
import { type ServerOptions, readConfig } from '#server/platform/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-upload-'));
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const text = (part: string): Uint8Array => Buffer.from(part);

test('IMP-3: a first part that arrives once more cuts off nothing of the next parts', async () => {
  const { config } = readConfig({ DAYBOOK_DOWNLOADS: folder }, folder) as ServerOptions;
  const files = makeUploadFiles({ config }, '8a1a4f6e-6a5d-4a7c-9a5a-000000000001');
  await files.write('upload', 0, text('From '));
  await files.write('upload', 5, text('somebody'));
  await files.write('upload', 0, text('From '));
  expect(await files.has('upload', 13)).toBe(true);
  expect(readFileSync(files.path('upload'), 'utf8')).toBe('From somebody');
});
