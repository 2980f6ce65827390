/**
 * The provider's colours as the ledger needs them. What would be hard to read is refused, and the
 * ledger's own colour stands.
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
export type Ground = 'light' | 'dark';

/**
 * The accent with what follows from it; null where it has less than 4.5:1 on the sheet, on its own
 * wash, or no ink of ours on it.
 */
export function accentOf(colour: string, ground: Ground): Accent | null {
  const accent = rgbOf(colour);
  if (!accent) return null;
  const { sheet, paper, wash, line } = GROUNDS[ground];
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
 * An accent for the dark page from the one for the light page, lightened as far as it must be; null
 * where none is found.
 */
export function lightenedAccent(colour: string): Accent | null {
  const from = rgbOf(colour);
  if (!from) return null;
  for (let step = 0; step <= 16; step += 1) {
    const accent = accentOf(hex(mix(WHITE, from, step / 20)), 'dark');
    if (accent) return accent;
  }
  return null;
}

/** The portal's own sidebar, as in tokens.css. Branding and a user's theme name it `blue`. */
export const BLUE_SIDE: Readonly<Record<Ground, string>> = { light: '#1b3256', dark: '#101825' };

/** The color of a sidebar as `#rrggbb`, where it is named by a word. */
export const sideHex = (color: string, ground: Ground): string =>
  color.trim().toLowerCase() === 'blue' ? BLUE_SIDE[ground] : color;

/**
 * The sidebar with what follows from it; null where its own inks would have less than 4.5:1 on it.
 */
export function sideOf(colour: string, ground: Ground): Side | null {
  const side = rgbOf(sideHex(colour, ground));
  if (!side) return null;
  const on = mix(WHITE, side, 0.1);
  const { sideInk, sideInk2 } = GROUNDS[ground];
  if (
    contrast(sideInk2, side) < ENOUGH ||
    contrast(sideInk, on) < ENOUGH ||
    contrast(sideInk2, on) < ENOUGH
  )
    return null;
  return { side: hex(side), on: hex(on), line: hex(mix(WHITE, side, 0.14)) };
}

/** WCAG 2.2's ratio of two colours, 1 to 21; 1 where one of them is no `#rrggbb`. */
export function contrastOf(a: string, b: string): number {
  const [one, other] = [rgbOf(a), rgbOf(b)];
  return one && other ? contrast(one, other) : 1;
}

type Rgb = readonly [number, number, number];
const ENOUGH = 4.5;
const WHITE: Rgb = [255, 255, 255];
const INK: Rgb = [16, 32, 58];

// As in tokens.css; how much of the accent its wash and its line hold was read off the ledger's
// own.
const GROUNDS: Readonly<
  Record<
    Ground,
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

function rgbOf(colour: string): Rgb | null {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  return found ? [part(found[1]), part(found[2]), part(found[3])] : null;
}
const part = (digits: string | undefined): number => Number.parseInt(digits ?? '0', 16);
const hex = (rgb: Rgb): string =>
  `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

/** `share` of `top` over `under`. */
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
