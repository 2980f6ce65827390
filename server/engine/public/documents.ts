/** Reading the texts of documents, in a thread with limits. */

export { MAX_CONTENT_BYTES, type TextFormat } from '../embedded/full-text/text-format.ts';
export { type DocumentReader, makeDocumentReader } from '../embedded/full-text/text-reader.ts';
