import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import { getAriaKeys, Kbd } from './kbd.tsx';

export type ButtonVariant = 'primary' | 'default' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children' | 'title'> {
  /**
   * A tooltip. On a disabled button it gives the reason; the button then stays in the tab order, so
   * that the reason can be read.
   */
  readonly 'data-tip'?: string | undefined;
  /**
   * `primary`: filled accent, one per screen. `danger`: only for confirming an irreversible action.
   */
  readonly 'variant'?: ButtonVariant;
  /** `sm`: 28 px, in toolbars and panels. On touch both are 44 px. */
  readonly 'size'?: 'md' | 'sm';
  readonly 'icon'?: IconName;
  /** The equivalent shortcut, displayed and announced to screen readers. */
  readonly 'keycap'?: string;
  /** Working: stays focusable, cannot be pressed again, and is announced as busy. */
  readonly 'busy'?: boolean;
  readonly 'children'?: ReactNode;
}

export function Button({
  variant = 'default',
  size = 'md',
  icon,
  keycap,
  busy = false,
  type = 'button',
  className = '',
  disabled = false,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const explained = disabled && rest['data-tip'] !== undefined;
  const blocked = busy || explained;
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled && !explained}
      {...(keycap !== undefined && { 'aria-keyshortcuts': getAriaKeys(keycap) })}
      {...(busy && { 'aria-busy': true })}
      {...(blocked && { 'aria-disabled': true })}
      {...((blocked || onClick) && {
        onClick: blocked ? (event) => event.preventDefault() : onClick,
      })}
      className={`${SHAPE} ${SIZE[size]} ${disabled ? DISABLED : VARIANT[variant]} ${variant === 'quiet' ? 'px-2' : 'px-3'} ${className}`}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {keycap !== undefined && (
        <Kbd on={variant === 'primary' && !disabled ? 'accent' : 'sheet'}>{keycap}</Kbd>
      )}
    </button>
  );
}

export interface IconButtonProps extends Omit<
  ComponentPropsWithRef<'button'>,
  'children' | 'aria-label' | 'title'
> {
  readonly icon: IconName;
  /** The accessible name, also shown on hover. */
  readonly label: string;
  readonly keycap?: string;
}

/** A quiet icon-only button: 28 × 28 px, 44 on touch. */
export function IconButton({
  icon,
  label,
  keycap,
  type = 'button',
  className = '',
  ...rest
}: IconButtonProps) {
  // contains the visible keycap, so that voice control users can say what they see
  const name = keycap === undefined ? label : `${label}, ${keycap}`;
  return (
    <button
      {...rest}
      type={type}
      aria-label={name}
      data-tip={name}
      {...(keycap !== undefined && { 'aria-keyshortcuts': getAriaKeys(keycap) })}
      className={`inline-flex h-7 min-w-7 shrink-0 items-center justify-center gap-1 rounded-part text-ink-2 hover:bg-wash hover:text-ink
        disabled:cursor-not-allowed disabled:text-ink-3 aria-disabled:cursor-not-allowed aria-disabled:text-ink-3 pointer-coarse:h-11 pointer-coarse:min-w-11 ${className}`}
    >
      <Icon name={icon} />
      {keycap !== undefined && <Kbd>{keycap}</Kbd>}
    </button>
  );
}

const SHAPE =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-part border whitespace-nowrap transition-colors duration-150 pointer-coarse:min-h-11';
const SIZE = { md: 'h-8', sm: 'h-7' } as const;
const DISABLED = 'cursor-not-allowed border-rule text-ink-3';
const VARIANT: Readonly<Record<ButtonVariant, string>> = {
  primary:
    'border-accent bg-accent font-semibold text-on-accent hover:opacity-90 focus-visible:outline-offset-2',
  default: 'border-control bg-sheet text-ink hover:bg-wash',
  quiet: 'border-transparent text-ink-2 hover:bg-wash hover:text-ink',
  danger: 'border-failed bg-sheet font-semibold text-failed hover:bg-failed-wash',
};
