import { setMini, useMini } from '#src/app/shell/drawer-state.ts';
import {
  setSideColour,
  SIDE_COLOURS,
  useSideColour,
} from '#src/app/shell/branding/sidebar-colour.ts';
import { setTheme, THEMES, useTheme } from '#src/app/theme.ts';
import type { ThemeMode } from '#src/app/theme.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { ownAccountMessages as t } from '../security/messages.en.ts';

/**
 * The user's theme. A choice applies at once and syncs to the user's other devices. A failed
 * request is retried without a message.
 */
export function ThemeSection() {
  const theme = useTheme();
  const mini = useMini();
  const colour = useSideColour();
  return (
    <FormSection title={t.appearance} description={t.appearanceDetail}>
      <Select
        label={t.theme}
        block
        value={theme}
        options={THEMES.map((value) => ({ value, label: WORDS[value] }))}
        onChange={setTheme}
      />
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1.5 font-semibold">{t.sidebarColor}</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {[[null, null, 'providerColor'] as const, ...SIDE_COLOURS].map(([value, , name]) => (
            <label
              key={name}
              className="flex min-h-8 cursor-pointer items-center gap-2 pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name="side-colour"
                checked={colour === value}
                onChange={() => setSideColour(value)}
                className="m-0 size-4 shrink-0 cursor-pointer appearance-none rounded-full border border-control bg-sheet checked:border-5 checked:border-accent"
              />
              {value !== null && (
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
                  <rect width="16" height="16" rx="2" fill={value} />
                </svg>
              )}
              {t[name]}
            </label>
          ))}
        </div>
      </fieldset>
      <Switch
        label={t.compactSidebar}
        detail={t.compactSidebarDetail}
        on={mini}
        onChange={setMini}
      />
    </FormSection>
  );
}

const WORDS: Readonly<Record<ThemeMode, string>> = {
  light: t.light,
  dark: t.dark,
  system: t.systemTheme,
};
