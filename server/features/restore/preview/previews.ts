import { LRUCache } from 'lru-cache';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';
import { type DocumentReader, makeDocumentReader } from '#server/engine/public/documents.ts';
import {
  type AttachmentReader,
  makeAttachmentReader,
  makeMailReader,
  type MailReader,
} from './mail-reader.ts';
import type { MailBody } from './read-mail.ts';

/** How long the address of a preview opens. */
export const PREVIEW_MS: Ms = 60_000;
const MAX_STORED_BYTES: Bytes = 64 << 20;

export interface MailPreviews {
  readonly reader: MailReader;
  readonly attachments: AttachmentReader;
  readonly documents: DocumentReader;
  /**
   * Bodies of previews by their id, until they are shown. Another server reads the mail again.
   */
  readonly bodies: LRUCache<string, MailBody>;
}

export const makeMailPreviews = ({ clock }: { readonly clock: Clock }): MailPreviews => ({
  reader: makeMailReader({ clock }),
  attachments: makeAttachmentReader({ clock }),
  documents: makeDocumentReader({ clock }),
  bodies: new LRUCache({
    maxSize: MAX_STORED_BYTES,
    sizeCalculation: ({ content }) => content.length + 1,
    ttl: PREVIEW_MS,
    ttlAutopurge: true,
  }),
});
