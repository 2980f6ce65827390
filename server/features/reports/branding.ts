import type { TenantTx } from '#server/platform/db/store.ts';
import type { Logo, Look } from './render/theme.ts';

const SIDE = '#1b3256';
const ACCENT = '#23509e';
const COLOUR = /^#[\da-f]{6}$/i;

/**
 * The provider's name, colours and logo, as the portal's sidebar has them. A picture of a kind that
 * a PDF cannot hold gives way to the name.
 */
export async function lookOf({ sql, tenant }: TenantTx): Promise<Look> {
  const { branding } = await sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const side = coloured(branding.sidebar, SIDE);
  const picture = /^\/brand\/([\w-]+)(?:\?|$)/.exec(branding.sidebarLogoUrl ?? '')?.[1];
  const asset =
    picture === undefined
      ? undefined
      : await sql
          .selectFrom('brand_asset')
          .select(['type', 'base64'])
          .where('tenant_id', '=', tenant)
          .where('name', '=', picture)
          .executeTakeFirst();
  return {
    provider: branding.name,
    side,
    sideInk: isLight(side) ? '#1f1d18' : '#ffffff',
    accent: coloured(branding.accent, ACCENT),
    logo: asset ? logoOf(asset) : null,
  };
}

const coloured = (said: string | null, usual: string): string =>
  said !== null && COLOUR.test(said) ? said.toLowerCase() : usual;

/** What was kept of an SVG is clean already: shapes and looks alone. */
function logoOf({ type, base64 }: { readonly type: string; readonly base64: string }): Logo | null {
  if (type === 'image/svg+xml')
    return { is: 'svg', text: Buffer.from(base64, 'base64').toString('utf8') };
  return type === 'image/png' || type === 'image/jpeg' ? { is: 'raster', type, base64 } : null;
}

/** By relative luminance: whether dark letters read better on it. */
function isLight(colour: string): boolean {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const one = parseInt(colour.slice(at, at + 2), 16) / 255;
    return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.4;
}
