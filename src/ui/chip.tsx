import type { ComponentPropsWithRef } from 'react';
import { Icon } from './icon.tsx';
import { getAriaKeys, Kbd } from './kbd.tsx';
import { uiMessages as t } from './messages.en.ts';

export interface FilterChipProps {
  readonly label?: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** An active filter; pressing it removes it. */
export function FilterChip({ label, value, onRemove }: FilterChipProps) {
  return (
    <button
      type="button"
      className={`${SHAPE} tablet:min-w-20 tablet:shrink hover:bg-wash`}
      data-tip={value}
      onClick={onRemove}
      aria-label={t.removeFilter({ filter: label === undefined ? value : `${label} ${value}` })}
    >
      {label !== undefined && <span className="shrink-0 text-ink-3">{label} </span>}
      <span className="max-w-60 truncate">{value}</span>
      <Icon name="close" className="text-ink-3" />
    </button>
  );
}

export interface PillProps extends ComponentPropsWithRef<'button'> {
  readonly keycap?: string;
}

/** Only for "12 new, press R". It never covers rows. */
export function Pill({ keycap, type = 'button', className = '', children, ...rest }: PillProps) {
  return (
    <button
      {...rest}
      type={type}
      {...(keycap !== undefined && { 'aria-keyshortcuts': getAriaKeys(keycap) })}
      className={`inline-flex h-6 items-center gap-2 rounded-pill border border-accent-line bg-accent-wash px-2.5 font-semibold whitespace-nowrap text-accent
        pointer-coarse:min-h-11 ${className}`}
    >
      {children}
      {keycap !== undefined && <Kbd on="wash">{keycap}</Kbd>}
    </button>
  );
}

const SHAPE =
  'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 whitespace-nowrap text-ink pointer-coarse:min-h-11';
