import { useEffect, useRef } from 'react';
import type { Theme as StoredTheme } from '#contract/auth/preferences.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { useMe } from '../../session/session.ts';
import { setTheme, THEMES, useTheme } from '../../theme.ts';
import { BLUE_SIDE } from './brand-colours.ts';
import { setMini, useMini } from '../drawer-state.ts';
import { setSideColour, useOwnSide, useSideColour } from './sidebar-colour.ts';

/**
 * Syncs the theme and the sidebar color with the user's profile: choices of another device are
 * applied, choices of this device are sent. Until the profile is loaded, the choice of this browser
 * applies.
 */
export function usePreferredTheme(): void {
  const me = useMe();
  const id = me?.id ?? null;
  const preferences = useWatch('preferences', EMPTY);
  const status = useWatch('status', EMPTY);
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
  } satisfies StoredTheme);
  /** The last value that this device and the server agreed on; null before the first exchange. */
  const agreed = useRef<string | null>(null);
  const known = preferences !== undefined && status?.syncedAt != null;
  useEffect(() => {
    if (id === null || !known) return;
    const storedTheme = stored === null ? null : getTheme(stored);
    if (storedTheme !== null && storedTheme !== agreed.current) {
      // changed on another device, or this is the first load
      agreed.current = storedTheme;
      const {
        mode = 'system',
        sidebarMini = false,
        sidebarColor = null,
      } = JSON.parse(storedTheme) as StoredTheme;
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

const EMPTY = {};
const PLAIN = JSON.stringify({ mode: 'system', sidebarMini: false });

/** Converts the stored text to this browser's form. Returns null if it is invalid. */
export function getTheme(stored: string): string | null {
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
