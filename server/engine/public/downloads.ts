/** Downloads that are prepared in the background: their items, files and gaps. */

export {
  type DownloadGap,
  forgetFailures,
  listGaps,
  storeGaps,
} from '../embedded/downloads/gaps.ts';
export { deleteDownload, deleteList } from '../embedded/downloads/prepare.ts';
export { mayReadDownload } from '../embedded/downloads/read.ts';
export type { PartFile, PartFormat } from '../embedded/exports/part-writer.ts';
export { WITHDRAWN_AT } from '../embedded/downloads/withdraw.ts';
