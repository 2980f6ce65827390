import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { backgroundDownloadOut } from '#contract/restore/background-calls.ts';
import {
  itemsLabel,
  ProgressRule,
  sizeLabel,
  DownloadStateLine,
} from '#src/features/restore/downloads/state-line.tsx';
import type { BackgroundDownload } from '#src/features/restore/downloads/use-downloads.ts';

const download = (more: Partial<BackgroundDownload>): BackgroundDownload =>
  v.parse(backgroundDownloadOut, {
    _id: 'x',
    id: '10000000-0000-4000-8000-000000000001',
    name: 'Mails.zip',
    organizationId: '10000000-0000-4000-8000-000000000002',
    workload: 'outlook',
    format: 'zip',
    state: 'running',
    status: 'running',
    message: null,
    items: { done: 0, total: 0 },
    bytes: { done: 0, total: 0 },
    isListed: false,
    isExact: false,
    onServer: false,
    missing: 0,
    failed: 0,
    gaps: [],
    parts: [],
    createdAt: 1,
    endedAt: null,
    expiresAt: 2,
    ...more,
  });

const texts = (markup: string): readonly string[] =>
  markup.split(/<[^>]*>/).filter((text) => text !== '');

test('DL-3: a download whose items are being counted names no numbers, and one that was estimated says "About"', () => {
  const counting = download({});
  expect(
    texts(renderToStaticMarkup(createElement(DownloadStateLine, { download: counting }))),
  ).toEqual(['In preparation', 'Counting items']);
  expect(texts(renderToStaticMarkup(createElement(ProgressRule, { download: counting })))).toEqual(
    [],
  );
  expect(itemsLabel(counting)).toBe('Not known yet');
  expect(sizeLabel(counting)).toBe('Not known yet');

  const estimated = download({ items: { done: 0, total: 1_234 }, bytes: { done: 0, total: 5e6 } });
  expect(itemsLabel(estimated)).toBe('About 1,234');
  expect(sizeLabel(estimated)).toBe('About 5 MB');

  const listed = download({
    isListed: true,
    items: { done: 3, total: 4 },
    bytes: { done: 1e6, total: 2e6 },
  });
  expect(texts(renderToStaticMarkup(createElement(ProgressRule, { download: listed })))).toEqual([
    '1 MB of 2 MB',
  ]);
  expect(itemsLabel(listed)).toBe('4');
  expect(itemsLabel(download({ isListed: true }))).toBe('0');
});
