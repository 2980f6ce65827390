import { THEMES, setTheme, useTheme } from '../../theme.ts';
import type { ThemeMode } from '../../theme.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icon.tsx';
import { shellMessages as t } from '../shell.messages.en.ts';

/**
 * Selects the light, dark or system theme. In the minimized sidebar one button cycles through them.
 */
export function ThemeChoice({ mini }: { readonly mini: boolean }) {
  const theme = useTheme();
  if (mini) {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    const label = t.switchTheme({ theme: t[theme], next: t[next] });
    return (
      <button
        type="button"
        aria-label={label}
        data-tip={label}
        onClick={() => setTheme(next)}
        className="flex h-8 items-center rounded-part px-2 hover:text-side-ink focus-visible:-outline-offset-2 focus-visible:outline-side-ink pointer-coarse:h-11"
      >
        <Icon name={ICONS[theme]} />
      </button>
    );
  }
  return (
    <fieldset className="m-0 grid grid-cols-3 rounded-part border border-side-line p-0 text-agate">
      <legend className="sr-only">{t.theme}</legend>
      {THEMES.map((one) => (
        <label
          key={one}
          className="relative flex h-7 items-center justify-center gap-1.5 rounded-[3px] hover:text-side-ink has-checked:bg-side-on has-checked:font-semibold has-checked:text-side-ink
            has-focus-visible:outline-2 has-focus-visible:outline-side-ink pointer-coarse:h-11"
        >
          <input
            type="radio"
            name="theme"
            value={one}
            checked={theme === one}
            onChange={() => setTheme(one)}
            className="absolute inset-0 m-0 cursor-pointer opacity-0"
          />
          {t[one]}
        </label>
      ))}
    </fieldset>
  );
}

const ICONS: Readonly<Record<ThemeMode, IconName>> = {
  light: 'sun',
  dark: 'moon',
  system: 'computer',
};
