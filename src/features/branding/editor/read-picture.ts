import { findFileError } from './draft.ts';
import type { ChosenPicture, PictureName } from './draft.ts';
import { brandingMessages as t } from './messages.en.ts';

/** Reads a file for upload and display. Returns the error message if it cannot be used. */
export async function readPicture(name: PictureName, file: File): Promise<ChosenPicture | string> {
  const error = findFileError(name, file);
  if (error !== null) return error;
  const type =
    file.type === 'image/vnd.microsoft.icon'
      ? 'image/x-icon'
      : (file.type as ChosenPicture['type']);
  const url = URL.createObjectURL(file);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    URL.revokeObjectURL(url);
    return t.imageNotReadable;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP)
    text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return { type, base64: btoa(text), url, width: image.naturalWidth, height: image.naturalHeight };
}

const STEP = 8_192;
