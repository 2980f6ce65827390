import { Link } from '@tanstack/react-router';
import type { Role } from '#contract/abilities.ts';
import { getHomePage } from '../router/menu.ts';
import { useBranding } from '../session/session.ts';
import { Icon } from '../../ui/icon.tsx';
import { INK_FOCUS } from './sidebar.tsx';
import { shellMessages as t } from './shell.messages.en.ts';

export interface AppSwitcherProps {
  readonly mini: boolean;
  readonly app: 'monitoring' | 'o365';
  readonly roles: readonly Role[];
  /** Called after an app is chosen. */
  readonly onGo?: () => void;
}

/** BILL-8: switches between the apps, for users who manage Microsoft 365. */
export function AppSwitcher({ mini, app, roles, onGo }: AppSwitcherProps) {
  const home = getHomePage(roles, useBranding()?.features);
  return (
    <nav aria-label={t.apps} className="mb-2 grid shrink-0 gap-px">
      {(
        [
          ['monitoring', home, t.monitoring, 'daily-checks'],
          ['o365', '/o365/dashboard', 'Microsoft 365', 'cloud'],
        ] as const
      ).map(([one, to, word, icon]) => (
        <Link
          key={one}
          to={to}
          onClick={onGo}
          data-tip={mini ? word : undefined}
          {...(app === one && { 'aria-current': 'true' as const })}
          className={`flex h-8 min-w-0 items-center gap-2.5 rounded-part border px-2 hover:text-side-ink pointer-coarse:h-11 ${app === one ? 'border-side-ink-2 bg-side-on font-semibold text-side-ink' : 'border-side-line'} ${INK_FOCUS}`}
        >
          <Icon name={icon} />
          <span className={mini ? 'sr-only' : 'truncate'}>{word}</span>
        </Link>
      ))}
    </nav>
  );
}
