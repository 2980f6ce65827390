import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { RuleOut } from '#contract/rules/calls.ts';
import { IconButton } from '#src/ui/button.tsx';
import { formatAge } from '#src/ui/format.ts';
import { Switch } from '#src/ui/switch.tsx';
import { datesText, ruleText } from './labels.ts';
import { ruleMessages as t } from './messages.en.ts';

export interface RuleListProps {
  readonly rules: readonly RuleOut[];
  readonly zone: string;
  readonly now: Ms;
  readonly offline: boolean;
  readonly busy: boolean;
  readonly companyName: (n: number) => string;
  readonly onOpen: (id: string) => void;
  readonly onSwitch: (rule: RuleOut) => void;
  readonly onMove: (id: string, by: 1 | -1) => void;
}

/** Rules from top to bottom, in order of precedence. */
export function RuleList({
  rules,
  zone,
  now,
  offline,
  busy,
  companyName,
  onOpen,
  onSwitch,
  onMove,
}: RuleListProps) {
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  return (
    <ol className="m-0 list-none border-t-2 border-head-rule p-0">
      {rules.map(({ _id: id, ...rule }, place) => {
        const dates = datesText(rule, zone, now);
        const { did } = rule;
        return (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-hair px-4 py-2 tablet:grid-cols-[2rem_minmax(0,1fr)_10rem_6rem_auto] tablet:px-5"
          >
            <span className="hidden text-agate text-ink-3 tablet:block" aria-hidden>
              {place + 1}
            </span>
            <button
              type="button"
              data-rule={id}
              className={`min-w-0 rounded-part py-1 text-left pointer-coarse:min-h-11 ${rule.enabled ? '' : 'text-ink-3'}`}
              onClick={() => onOpen(id)}
            >
              <span className="block font-semibold break-words">{rule.name}</span>
              <span className={`line-clamp-3 break-words ${rule.enabled ? 'text-ink-2' : ''}`}>
                {ruleText(rule, companyName)}
              </span>
              {dates !== '' && <span className="block text-agate text-ink-3">{dates}</span>}
            </button>
            <span className="col-start-1 row-start-2 text-agate text-ink-2 tablet:col-start-3 tablet:row-start-1">
              {did.problems === 0 ? t.noMatches : t.matches({ count: did.problems })}
              {did.last !== null && (
                <span className="block text-ink-3">
                  {t.lastMatch({ age: formatAge(did.last, now) })}
                </span>
              )}
            </span>
            <span className="col-start-2 row-start-1 tablet:col-start-4">
              <Switch
                label={rule.enabled ? t.on : t.off}
                on={rule.enabled}
                disabled={offline || busy}
                onChange={() => onSwitch({ _id: id, ...rule })}
              />
            </span>
            <span className="flex justify-end">
              <IconButton
                icon="chevron-up"
                label={t.moveUp({ name: rule.name })}
                className="min-w-9 pointer-coarse:min-h-11 pointer-coarse:min-w-11"
                disabled={offline || busy || place === 0}
                {...why}
                onClick={() => onMove(id, -1)}
              />
              <IconButton
                icon="chevron-down"
                label={t.moveDown({ name: rule.name })}
                className="min-w-9 pointer-coarse:min-h-11 pointer-coarse:min-w-11"
                disabled={offline || busy || place === rules.length - 1}
                {...why}
                onClick={() => onMove(id, 1)}
              />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
