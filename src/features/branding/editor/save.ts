import type { Branding } from '#contract/branding/branding.ts';
import type { Result } from '#contract/result.ts';
import type { InputOf } from '#contract/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import type { PictureName, Pictures } from './draft.ts';

/**
 * `left`: images not saved yet. `cleaned`: images from which the server removed
 * something.
 */
export interface Saved {
  readonly result: Result<Branding>;
  readonly left: Pictures;
  readonly cleaned: readonly PictureName[];
}

const FIELD: Readonly<Record<PictureName, 'sidebarLogoUrl' | 'sidebarLogoDarkUrl' | 'favIconUrl'>> =
  { 'logo': 'sidebarLogoUrl', 'logo-dark': 'sidebarLogoDarkUrl', 'favicon': 'favIconUrl' };
const NAMES = ['logo', 'logo-dark', 'favicon'] as const satisfies readonly PictureName[];

/**
 * Uploads the images one by one, then saves all other fields. If a step fails, `result` has the
 * reason and earlier uploads stay saved.
 */
export async function save(
  id: string,
  changes: Omit<InputOf<'editBranding'>, 'id'> | null,
  pictures: Pictures,
): Promise<Saved> {
  const left: Partial<Record<PictureName, Pictures[PictureName]>> = { ...pictures };
  const cleaned: PictureName[] = [];
  const fields: Omit<InputOf<'editBranding'>, 'id'> = { ...changes };
  for (const name of NAMES) {
    const picture = pictures[name];
    if (picture === 'none') fields[FIELD[name]] = null;
    if (picture === undefined || picture === 'none') continue;
    const stored = await withReauth(() =>
      client().ask('putBrandAsset', { id, name, type: picture.type, base64: picture.base64 }),
    );
    if (!stored.ok) return { result: stored, left, cleaned };
    if (stored.value.changed) cleaned.push(name);
    URL.revokeObjectURL(picture.url);
    delete left[name];
  }
  const result: Result<Branding> =
    Object.keys(fields).length === 0
      ? await client().ask('getProviderBranding', { id })
      : await withReauth(() => client().ask('editBranding', { id, ...fields }));
  return { result, left: result.ok ? {} : left, cleaned };
}
