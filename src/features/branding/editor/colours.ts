import { formatTenths } from '#src/ui/format.ts';
import {
  getAccent,
  BLUE_SIDE,
  getContrast,
  lightenedAccent,
  sideHex,
  getSide,
} from '#src/app/shell/branding/brand-colours.ts';
import type { Surface } from '#src/app/shell/branding/brand-colours.ts';
import { brandingMessages as t } from './messages.en.ts';
import { BLACK, DARK, LIGHT, WHITE } from '#contract/branding/palette.ts';

/** Colors chosen by a provider; an empty text means none. */
export interface Colours {
  readonly accent: string;
  readonly accentDark: string;
  readonly sidebar: string;
  readonly sidebarDark: string;
}
export type ColourName = keyof Colours;
export const COLOUR_NAMES = [
  'accent',
  'accentDark',
  'sidebar',
  'sidebarDark',
] as const satisfies readonly ColourName[];

/**
 * Verdict on a color. `shown`: the color that the portal shows instead of the chosen one, if
 * different. `nearest`: the first legible color between the chosen one and black or white.
 */
export interface Verdict {
  readonly kind: 'none' | 'no-colour' | 'legible' | 'refused';
  readonly description: string;
  readonly shown: string | null;
  readonly nearest: string | null;
}

/** As in tokens.css: the background of the accent, the inks of the sidebar, and the defaults. */
export const CONTEXT_COLOURS: Readonly<
  Record<
    Surface,
    {
      readonly sheet: string;
      readonly sideInk2: string;
      readonly accent: string;
      readonly side: string;
    }
  >
> = {
  light: {
    sheet: LIGHT.sheet,
    sideInk2: LIGHT.sideInk2,
    accent: LIGHT.accent,
    side: BLUE_SIDE.light,
  },
  dark: { sheet: DARK.sheet, sideInk2: DARK.sideInk2, accent: DARK.accent, side: BLUE_SIDE.dark },
};

const HEX = /^#[\da-f]{6}$/i;
const ratio = (of: string, on: string): string =>
  `${formatTenths(Math.floor(getContrast(of, on) * 10))}:1`;

/**
 * Checks one color. `colours`: all of them, because a missing dark accent is derived from the light
 * one.
 */
export function getVerdict(name: ColourName, colours: Colours): Verdict {
  const context: Surface = name === 'accentDark' || name === 'sidebarDark' ? 'dark' : 'light';
  const isSide = name.startsWith('sidebar');
  const typed = colours[name].trim();
  const colour = isSide ? sideHex(typed, context) : typed;
  const { sheet, sideInk2, accent, side } = CONTEXT_COLOURS[context];
  if (colour === '') {
    const made =
      name === 'accentDark' && HEX.test(colours.accent.trim())
        ? lightenedAccent(colours.accent.trim())
        : null;
    if (made !== null)
      return {
        kind: 'none',
        description: t.derivedColor({ color: made.accent }),
        shown: made.accent,
        nearest: null,
      };
    return {
      kind: 'none',
      description: t.defaultColor({ color: isSide ? side : accent }),
      shown: isSide ? side : accent,
      nearest: null,
    };
  }
  if (!HEX.test(colour))
    return {
      kind: 'no-colour',
      description: isSide ? t.colorOrNameNotValid : t.colorNotValid,
      shown: null,
      nearest: null,
    };
  const fits = (one: string): boolean =>
    (isSide ? getSide(one, context) : getAccent(one, context)) !== null;
  const measured = { ratio: isSide ? ratio(sideInk2, colour) : ratio(colour, sheet) };
  if (fits(colour))
    return {
      kind: 'legible',
      description: isSide ? t.sidebarReadable(measured) : t.accentReadable(measured),
      shown: colour === typed ? null : colour,
      nearest: null,
    };
  return {
    kind: 'refused',
    description: isSide
      ? t.sidebarNotReadable({ ...measured, color: side })
      : t.accentNotReadable({ ...measured, color: accent }),
    shown: isSide ? side : accent,
    nearest: nearest(colour, isSide || context === 'light' ? BLACK : WHITE, fits),
  };
}

const STEPS = 50;
function nearest(from: string, to: string, fits: (colour: string) => boolean): string | null {
  for (let step = 1; step <= STEPS; step += 1) {
    const colour = mixed(from, to, step / STEPS);
    if (fits(colour)) return colour;
  }
  return null;
}

function mixed(from: string, to: string, share: number): string {
  return `#${[1, 3, 5]
    .map((at) =>
      Math.round(channel(from, at) * (1 - share) + channel(to, at) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
const channel = (colour: string, at: number): number =>
  Number.parseInt(colour.slice(at, at + 2), 16);
