import { SIDE } from '#contract/branding/first-colors.ts';

/**
 * Derives legible theme colors from the provider's colors. A color without enough contrast is
 * rejected, and the default color is used.
 */
export interface Accent {
  readonly accent: string;
  readonly onAccent: string;
  readonly wash: string;
  readonly line: string;
}
export interface Side {
  readonly side: string;
  readonly on: string;
  readonly line: string;
}
export type Surface = 'light' | 'dark';

/**
 * Returns the accent and the colors derived from it. Null if its contrast is below 4.5:1 on the
 * sheet or on its own wash, or if no ink is legible on it.
 */
export function getAccent(colour: string, context: Surface): Accent | null {
  const accent = getRgb(colour);
  if (!accent) return null;
  const { sheet, paper, wash, line } = GROUNDS[context];
  const washed = mix(accent, sheet, wash);
  const onAccent = [WHITE, INK].find((ink) => contrast(accent, ink) >= ENOUGH);
  const legible = [sheet, paper, washed].every((under) => contrast(accent, under) >= ENOUGH);
  if (!onAccent || !legible) return null;
  return {
    accent: hex(accent),
    onAccent: hex(onAccent),
    wash: hex(washed),
    line: hex(mix(accent, sheet, line)),
  };
}

/**
 * Returns an accent for the dark theme, made from the light one by lightening it as little as
 * possible. Null if no shade has enough contrast.
 */
export function lightenedAccent(colour: string): Accent | null {
  const from = getRgb(colour);
  if (!from) return null;
  for (let step = 0; step <= 16; step += 1) {
    const accent = getAccent(hex(mix(WHITE, from, step / 20)), 'dark');
    if (accent) return accent;
  }
  return null;
}

/** The default sidebar color, as in tokens.css. Branding and user themes call it `blue`. */
export const BLUE_SIDE: Readonly<Record<Surface, string>> = SIDE;

/** Returns a sidebar color as `#rrggbb`; named colors are resolved. */
export const sideHex = (color: string, context: Surface): string =>
  color.trim().toLowerCase() === 'blue' ? BLUE_SIDE[context] : color;

/**
 * Returns the sidebar and the colors derived from it. Null if its own inks would have a contrast
 * below 4.5:1 on it.
 */
export function getSide(colour: string, context: Surface): Side | null {
  const side = getRgb(sideHex(colour, context));
  if (!side) return null;
  const on = mix(WHITE, side, 0.1);
  const { sideInk, sideInk2 } = GROUNDS[context];
  if (
    contrast(sideInk2, side) < ENOUGH ||
    contrast(sideInk, on) < ENOUGH ||
    contrast(sideInk2, on) < ENOUGH
  )
    return null;
  return { side: hex(side), on: hex(on), line: hex(mix(WHITE, side, 0.14)) };
}

/**
 * Returns the WCAG 2.2 contrast ratio of two colors, 1 to 21, or 1 if one of them is not `#rrggbb`.
 */
export function getContrast(a: string, b: string): number {
  const [one, other] = [getRgb(a), getRgb(b)];
  return one && other ? contrast(one, other) : 1;
}

type Rgb = readonly [number, number, number];
const ENOUGH = 4.5;
const WHITE: Rgb = [255, 255, 255];
const INK: Rgb = [16, 32, 58];

// As in tokens.css. The shares of the accent in its wash and line were measured on the default
// colors.
const GROUNDS: Readonly<
  Record<
    Surface,
    {
      readonly sheet: Rgb;
      readonly paper: Rgb;
      readonly wash: number;
      readonly line: number;
      readonly sideInk: Rgb;
      readonly sideInk2: Rgb;
    }
  >
> = {
  light: {
    sheet: [255, 253, 249],
    paper: [248, 245, 239],
    wash: 0.1,
    line: 0.39,
    sideInk: [227, 234, 245],
    sideInk2: [179, 195, 219],
  },
  dark: {
    sheet: [28, 26, 22],
    paper: [21, 19, 16],
    wash: 0.12,
    line: 0.4,
    sideInk: [221, 229, 241],
    sideInk2: [157, 172, 196],
  },
};

function getRgb(colour: string): Rgb | null {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  return found ? [part(found[1]), part(found[2]), part(found[3])] : null;
}
const part = (digits: string | undefined): number => Number.parseInt(digits ?? '0', 16);
const hex = (rgb: Rgb): string =>
  `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

/** Mixes `share` of `top` over `under`. */
const mix = (top: Rgb, under: Rgb, share: number): Rgb => {
  const of = (n: 0 | 1 | 2): number => Math.round(top[n] * share + under[n] * (1 - share));
  return [of(0), of(1), of(2)];
};

function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((one, other) => other - one) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}
const luminance = ([r, g, b]: Rgb): number =>
  0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const linear = (value: number): number =>
  value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
