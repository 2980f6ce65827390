import type { RunState } from '#contract/runs/query.ts';
import type { Role } from '#contract/abilities.ts';
import { can } from '#contract/abilities.ts';
import type { Features } from '#contract/branding/branding.ts';
import type { IconName } from '../../ui/icon.tsx';
import { menuOf } from '../../app/router/menu.ts';
import type { Theme } from '../../app/theme.ts';
import { GOES } from '../../app/shell/go-to-shortcuts.ts';

/** What Enter does on an item of the palette. */
export type Does =
  | { readonly is: 'open'; readonly to: string }
  | { readonly is: 'theme'; readonly theme: Theme }
  | { readonly is: 'sync' };

export interface Line {
  readonly key: string;
  /** Heading of the item's group; items of a group are adjacent. */
  readonly group: string;
  readonly word: string;
  /** Beside the text: the company of a job. */
  readonly detail?: string;
  readonly icon: IconName;
  /** State of a result, shown instead of the icon. */
  readonly state?: RunState;
  readonly keys?: readonly string[];
  readonly does: Does;
}

const LIST = '/monitoring/daily-checks';
const THEMES = ['light', 'dark', 'system'] as const satisfies readonly Theme[];
const THEME_WORDS: Readonly<Record<Theme, string>> = {
  light: 'Light theme',
  dark: 'Dark theme',
  system: 'Theme of this system',
};

/**
 * Returns the items that need no search text: first all pages, in the sidebar or not, then actions.
 */
export function fixedLines(roles: readonly Role[], features: Features | null): readonly Line[] {
  const pages = menuOf(roles, features)
    .flatMap(({ entries }) => entries)
    .map(({ to, word, icon }): Line => {
      const letter = Object.entries(GOES).find(([, going]) => going.to === to)?.[0];
      return {
        key: `page ${to}`,
        group: 'Pages',
        word,
        icon,
        does: { is: 'open', to },
        ...(letter !== undefined && { keys: ['G', letter.toUpperCase()] }),
      };
    });
  const lists = can(roles, 'monitoring.daily-checks') ? LISTS : [];
  return [
    ...pages,
    ...OTHERS,
    ...lists,
    { key: 'sync', group: 'Actions', word: 'Sync now', icon: 'sync', does: { is: 'sync' } },
    ...THEMES.map((theme): Line => ({
      key: `theme ${theme}`,
      group: 'Actions',
      word: THEME_WORDS[theme],
      icon: theme === 'dark' ? 'moon' : 'sun',
      does: { is: 'theme', theme },
    })),
  ];
}

/** Pages that every signed-in user can open and that are not in the sidebar. */
const OTHERS: readonly Line[] = [
  {
    key: 'page subscriptions',
    group: 'Pages',
    word: 'Subscriptions',
    icon: 'licensing',
    does: { is: 'open', to: '/monitoring/subscriptions' },
  },
];

const LISTS: readonly Line[] = [
  {
    key: 'page wall',
    group: 'Pages',
    word: 'Wall-board',
    icon: 'computer',
    does: { is: 'open', to: '/monitoring/wall' },
  },
  {
    key: 'list failed',
    group: 'Views',
    word: 'Failed, to check',
    icon: 'failed',
    does: { is: 'open', to: `${LIST}?state=Failed,Error` },
  },
  {
    key: 'list missed',
    group: 'Views',
    word: 'Did not run, to check',
    icon: 'missed',
    does: { is: 'open', to: `${LIST}?state=Missed` },
  },
  {
    key: 'list snoozed',
    group: 'Views',
    word: 'Snoozed',
    icon: 'clock',
    does: { is: 'open', to: `${LIST}?review=snoozed` },
  },
  {
    key: 'list cause',
    group: 'Views',
    word: 'To check, by cause',
    icon: 'daily-checks',
    does: { is: 'open', to: `${LIST}?group=cause` },
  },
];

/** Returns the items that contain every typed word. Items that start with it come first. */
export function matching(lines: readonly Line[], typed: string): readonly Line[] {
  const words = typed
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return lines;
  const hits = lines.filter(({ word }) => words.every((one) => word.toLowerCase().includes(one)));
  const begins = ({ word }: Line): number =>
    word.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1;
  return hits.toSorted((a, b) => begins(a) - begins(b));
}

/** Returns the address of results on this device, whatever their review. */
export const listAddress = (of: Readonly<Record<string, string>>): string =>
  `${LIST}?${new URLSearchParams({ review: 'any', rows: 'runs', order: 'newest', ...of }).toString()}`;

/** Returns the address of a company's results, whatever their review. */
export const companyAddress = (n: number): string => `${LIST}?date=last-7&review=any&company=${n}`;
export const jobAddress = (n: number): string =>
  `${LIST}?date=last-30&review=any&rows=runs&order=newest&job=${n}`;
