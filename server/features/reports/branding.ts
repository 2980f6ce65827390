import type { TenantTx } from '#server/platform/db/store.ts';
import type { Logo, ReportTheme } from './render/theme.ts';
import { LIGHT, WHITE } from '#contract/branding/palette.ts';

const COLOUR = /^#[\da-f]{6}$/i;

/**
 * Returns the provider's name, colors and logo, as in the portal's sidebar. If a PDF cannot contain
 * the logo's format, the name is used.
 */
export async function loadReportBranding({ sql, tenant }: TenantTx): Promise<ReportTheme> {
  const { branding } = await sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const side = coloured(branding.sidebar, LIGHT.side);
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
    sideInk: isLight(side) ? LIGHT.ink : WHITE,
    accent: coloured(branding.accent, LIGHT.accent),
    logo: asset ? getLogo(asset) : null,
  };
}

const coloured = (said: string | null, usual: string): string =>
  said !== null && COLOUR.test(said) ? said.toLowerCase() : usual;

/** A stored SVG was sanitized when it was uploaded. */
function getLogo({
  type,
  base64,
}: {
  readonly type: string;
  readonly base64: string;
}): Logo | null {
  if (type === 'image/svg+xml')
    return { kind: 'svg', text: Buffer.from(base64, 'base64').toString('utf8') };
  return type === 'image/png' || type === 'image/jpeg' ? { kind: 'raster', type, base64 } : null;
}

/** Returns whether dark text is more readable on the color, by its relative luminance. */
function isLight(colour: string): boolean {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const one = parseInt(colour.slice(at, at + 2), 16) / 255;
    return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.4;
}
