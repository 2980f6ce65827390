import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { lazyPart } from '#src/ui/lazy-part.ts';

const openRun = () => import('./run-panel/open-run.tsx');
const bulkBar = () => import('./bulk-bar.tsx');
const empty = () => import('./empty.tsx');
const dialogs = () => import('./dialogs.tsx');
const toolbarParts = () => import('./list-actions.tsx');
const listLines = () => import('./list-notices.tsx');
export const ToolbarParts = lazyPart(async () => (await toolbarParts()).ToolbarParts);
export const ListLines = lazyPart(async () => (await listLines()).ListLines);
export const OpenRun = lazyPart(async () => (await openRun()).OpenRun);
export const BulkBar = lazyPart(async () => (await bulkBar()).BulkBar);
export const Empty = lazyPart(async () => (await empty()).Empty);
export const Dialogs = lazyDialog(async () => (await dialogs()).Dialogs);

/** Loaded while the page is idle, because they must also work offline. */
export const LATER_PARTS = [openRun, bulkBar, empty, dialogs];
