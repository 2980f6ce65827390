/** Uploads of archives for imports. */

export { findImport, type ImportRow } from '../embedded/imports/import-rows.ts';
export { receivePart } from '../embedded/imports/imports.ts';
export { makeUploadFiles } from '../embedded/imports/upload-file.ts';
