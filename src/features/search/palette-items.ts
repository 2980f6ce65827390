import type { RunState } from '#contract/runs/query.ts';
import type { Role } from '#contract/abilities.ts';
import { can } from '#contract/abilities.ts';
import type { Features } from '#contract/branding/branding.ts';
import type { IconName } from '../../ui/icon.tsx';
import { getMenu } from '../../app/router/menu.ts';
import type { ThemeMode } from '../../app/theme.ts';
import { GOES } from '../../app/shell/go-to-shortcuts.ts';
import { searchMessages as t } from './messages.en.ts';

/** What Enter does on an item of the palette. */
export type Does =
  | { readonly kind: 'open'; readonly to: string }
  | { readonly kind: 'theme'; readonly theme: ThemeMode }
  | { readonly kind: 'sync' };

export interface PaletteLine {
  readonly key: string;
  /** Heading of the item's group; items of a group are adjacent. */
  readonly group: string;
  readonly label: string;
  /** Beside the text: the company of a job. */
  readonly detail?: string;
  readonly icon: IconName;
  /** State of a result, shown instead of the icon. */
  readonly state?: RunState;
  readonly keys?: readonly string[];
  readonly does: Does;
}

const LIST = '/monitoring/daily-checks';
const THEMES = ['light', 'dark', 'system'] as const satisfies readonly ThemeMode[];

/**
 * Returns the items that need no search text: first all pages, in the sidebar or not, then actions.
 */
export function fixedLines(
  roles: readonly Role[],
  features: Features | null,
): readonly PaletteLine[] {
  const pages = getMenu(roles, features)
    .flatMap(({ entries }) => entries)
    .map(({ to, word, icon }): PaletteLine => {
      const letter = Object.entries(GOES).find(([, page]) => page === to)?.[0];
      return {
        key: `page-${to}`,
        group: t.pages,
        label: word,
        icon,
        does: { kind: 'open', to },
        ...(letter !== undefined && { keys: ['G', letter.toUpperCase()] }),
      };
    });
  const views = can(roles, 'monitoring.daily-checks') ? lists() : [];
  return [
    ...pages,
    otherPage(),
    ...views,
    { key: 'sync', group: t.actions, label: t.syncNow, icon: 'sync', does: { kind: 'sync' } },
    ...THEMES.map((theme): PaletteLine => ({
      key: `theme-${theme}`,
      group: t.actions,
      label: t[`${theme}Theme`],
      icon: theme === 'dark' ? 'moon' : 'sun',
      does: { kind: 'theme', theme },
    })),
  ];
}

/** A page that every signed-in user can open and that isn't in the sidebar. */
const otherPage = (): PaletteLine => ({
  key: 'page-subscriptions',
  group: t.pages,
  label: t.subscriptions,
  icon: 'licensing',
  does: { kind: 'open', to: '/monitoring/subscriptions' },
});

const lists = (): readonly PaletteLine[] => [
  {
    key: 'page-wall',
    group: t.pages,
    label: t.wallboard,
    icon: 'computer',
    does: { kind: 'open', to: '/monitoring/wall' },
  },
  {
    key: 'list-failed',
    group: t.views,
    label: t.failedToCheck,
    icon: 'failed',
    does: { kind: 'open', to: `${LIST}?state=Failed,Error` },
  },
  {
    key: 'list-missed',
    group: t.views,
    label: t.missedToCheck,
    icon: 'missed',
    does: { kind: 'open', to: `${LIST}?state=Missed` },
  },
  {
    key: 'list-snoozed',
    group: t.views,
    label: t.snoozed,
    icon: 'clock',
    does: { kind: 'open', to: `${LIST}?review=snoozed` },
  },
  {
    key: 'list-cause',
    group: t.views,
    label: t.toCheckByCause,
    icon: 'daily-checks',
    does: { kind: 'open', to: `${LIST}?group=cause` },
  },
];

/** Returns the items that contain every typed word. Items that start with it come first. */
export function matching(lines: readonly PaletteLine[], typed: string): readonly PaletteLine[] {
  const words = typed
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return lines;
  const hits = lines.filter(({ label }) => words.every((one) => label.toLowerCase().includes(one)));
  const begins = ({ label }: PaletteLine): number =>
    label.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1;
  return hits.toSorted((a, b) => begins(a) - begins(b));
}

/** Returns the address of results on this device, whatever their review. */
export const foundListAddress = (of: Readonly<Record<string, string>>): string =>
  `${LIST}?${new URLSearchParams({ review: 'any', rows: 'runs', order: 'newest', ...of }).toString()}`;

/** Returns the address of a company's results, whatever their review. */
export const companyAddress = (n: number): string => `${LIST}?date=last-7&review=any&company=${n}`;
export const jobAddress = (n: number): string =>
  `${LIST}?date=last-30&review=any&rows=runs&order=newest&job=${n}`;
