import { defineMessages } from '#contract/i18n/messages.ts';

/** What previews of files say. */
export const filePreviewMessages = defineMessages('file-preview', {
  picture: 'Picture',
  busy: 'Many files are being opened. Try again in a moment.',
  tooLarge: 'Files larger than 32 MB have no preview. Download the file to open it.',
  empty: 'This file is empty.',
  noPreview:
    'Only pictures (PNG, JPEG, GIF and WebP), texts, and PDF and Office documents have a preview. Download this file to open it.',
  unreadable:
    "The text of this document can't be read: it may be damaged, encrypted or of another kind. Download it to open it.",
  noText: 'This document has no text, only pictures or drawings. Download it to open it.',
});
