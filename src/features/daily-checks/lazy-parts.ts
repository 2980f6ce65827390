import { lazy } from 'react';
import { withChunkTimeout } from '#src/ui/chunk-load.ts';

const openRun = () => import('./run-panel/open-run.tsx');
const bulkBar = () => import('./bulk-bar.tsx');
const empty = () => import('./empty.tsx');
const dialogs = () => import('./dialogs.tsx');
const toolbarParts = () => import('./list-actions.tsx');
const listLines = () => import('./list-notices.tsx');
export const ToolbarParts = lazy(async () => ({
  default: (await withChunkTimeout(toolbarParts())).ToolbarParts,
}));
export const ListLines = lazy(async () => ({
  default: (await withChunkTimeout(listLines())).ListLines,
}));
export const OpenRun = lazy(async () => ({ default: (await withChunkTimeout(openRun())).OpenRun }));
export const BulkBar = lazy(async () => ({ default: (await withChunkTimeout(bulkBar())).BulkBar }));
export const Empty = lazy(async () => ({ default: (await withChunkTimeout(empty())).Empty }));
export const Dialogs = lazy(async () => ({ default: (await withChunkTimeout(dialogs())).Dialogs }));

/** Loaded while the page is idle, because they must also work offline. */
export const LATER_PARTS = [openRun, bulkBar, empty, dialogs];
