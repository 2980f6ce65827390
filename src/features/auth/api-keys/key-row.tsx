import { formatList } from '#contract/i18n/list.ts';
import type { Ability } from '#contract/abilities.ts';
import type { ApiKey } from '#contract/auth/api-key-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { formatDate } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { inOrder, describeAbility, getWord } from './labels.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { apiKeyMessages as t } from './messages.en.ts';

export interface KeyRowProps {
  readonly of: ApiKey;
  /** The abilities that the key's user still has. */
  readonly abilities: readonly Ability[];
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly onRevoke: () => void;
}

const SOON_MS = 7 * 86_400_000;

/** An API key: its permissions, its expiry and where it was used. */
export function ApiKeyLine({ of: key, abilities, zone, now, offline, onRevoke }: KeyRowProps) {
  const lost = key.abilities.filter((one) => !abilities.includes(one));
  const over = key.until <= now;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-hair py-3 first:pt-0">
      <span className="grid min-w-0 grow basis-72 gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <b className="min-w-0 break-words">{key.name}</b>
          {over ? (
            <Badge tone="failed">
              <Icon name="failed" size={12} />
              {t.expired}
            </Badge>
          ) : (
            key.until - now < SOON_MS && (
              <Badge tone="warning">
                <Icon name="clock" size={12} />
                {t.expiresSoon}
              </Badge>
            )
          )}
        </span>
        <span className="block text-agate break-words text-ink-3">
          <code className="font-mono">{`dbu_…${key.hint}`}</code> ·{' '}
          {t.created({ date: formatDate(key.madeAt, zone) })} ·{' '}
          {(over ? t.keyExpired : t.keyExpires)({ date: formatDate(key.until, zone) })} ·{' '}
          {getLastUse(key)}
        </span>
        <details className="text-ink-2">
          <summary className="cursor-pointer pointer-coarse:min-h-11 pointer-coarse:content-center">
            {getSummary(inOrder(key.abilities).map(getWord))}
          </summary>
          <ul className="m-0 grid list-none gap-0.5 p-0 pt-1 pl-4">
            {inOrder(key.abilities).map((one) => (
              <li key={one}>
                {richText(t.permissionDetail, {
                  permission: getWord(one),
                  detail: <span className="text-ink-3">{describeAbility(one)}</span>,
                })}
              </li>
            ))}
          </ul>
        </details>
        {lost.length > 0 && !over && (
          <span className="flex items-start gap-1.5 text-agate text-warning">
            <Icon name="warning" size={12} className="mt-0.5" />
            <span>
              {t.missingPermissions({ permissions: formatList(lost.map(getWord), 'plain') })}
            </span>
          </span>
        )}
      </span>
      <Button
        size="sm"
        disabled={offline}
        aria-label={t.revokeNamed({ key: key.name })}
        onClick={onRevoke}
      >
        {over ? ui.remove : t.revoke}
      </Button>
    </li>
  );
}

function getLastUse({ usedOn, usedFrom: address }: ApiKey): string {
  if (usedOn === null) return t.keyNeverUsed;
  const date = formatDate(Date.parse(`${usedOn}T00:00:00Z`), 'UTC');
  return address === null ? t.keyUsed({ date }) : t.keyUsedFrom({ date, address });
}

/** The first three permissions and the number of the others. */
function getSummary(words: readonly string[]): string {
  const permissions = formatList(words.slice(0, 3), 'plain');
  return words.length > 3 ? t.andOthers({ permissions, count: words.length - 3 }) : permissions;
}
