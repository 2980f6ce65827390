import { useEffect, useRef } from 'react';
import type { Theme as KeptTheme } from '#contract/auth/preferences.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { useMe } from '../../session/session.ts';
import { setTheme, THEMES, useTheme } from '../../theme.ts';
import { BLUE_SIDE } from './brand-colours.ts';
import { setMini, useMini } from '../drawer-state.ts';
import { setSideColour, useOwnSide, useSideColour } from './sidebar-colour.ts';

/**
 * The theme and the sidebar are the user's, on every device: what another device chose is taken
 * over, what is chosen here is sent. Until the user's choice is known, this browser's own holds.
 */
export function usePreferredTheme(): void {
  const me = useMe();
  const id = me?.id ?? null;
  const preferences = useWatch('preferences', NOTHING);
  const status = useWatch('status', NOTHING);
  const theme = useTheme();
  const mini = useMini();
  const side = useSideColour();
  useOwnSide();
  const stored =
    preferences?.find(({ user, name }) => user === id && name === 'theme')?.value ?? null;
  const here = JSON.stringify({
    mode: theme,
    sidebarMini: mini,
    ...(side !== null && { sidebarColor: side }),
  } satisfies KeptTheme);
  /** What both sides last agreed on; null before the first word of either. */
  const agreed = useRef<string | null>(null);
  const known = preferences !== undefined && status?.syncedAt != null;
  useEffect(() => {
    if (id === null || !known) return;
    const told = stored === null ? null : themeOf(stored);
    if (told !== null && told !== agreed.current) {
      // chosen elsewhere, or this is the first look
      agreed.current = told;
      const {
        mode = 'system',
        sidebarMini = false,
        sidebarColor = null,
      } = JSON.parse(told) as KeptTheme;
      setTheme(mode);
      setMini(sidebarMini);
      setSideColour(sidebarColor);
    } else if (here !== agreed.current) {
      const first = agreed.current === null && stored === null;
      agreed.current = here;
      if (!first || here !== PLAIN)
        void client().send('prefer', { id, name: 'theme', value: here });
    }
  }, [id, known, stored, here]);
}

const NOTHING = {};
const PLAIN = JSON.stringify({ mode: 'system', sidebarMini: false });

/** The stored text in this browser's form; null where it is none. */
export function themeOf(stored: string): string | null {
  try {
    const { mode, sidebarMini, sidebarColor } = JSON.parse(stored) as {
      mode?: unknown;
      sidebarMini?: unknown;
      sidebarColor?: unknown;
    };
    const color = sidebarColor === 'blue' ? BLUE_SIDE.light : sidebarColor;
    return JSON.stringify({
      mode: THEMES.find((one) => one === mode) ?? 'system',
      sidebarMini: sidebarMini === true,
      ...(typeof color === 'string' &&
        /^#[\da-f]{6}$/i.test(color) && { sidebarColor: color.toLowerCase() }),
    });
  } catch {
    return null;
  }
}
