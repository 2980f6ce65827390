import { useEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

export interface BoxProps {
  readonly checked: boolean;
  /** Some of what it stands for is checked. */
  readonly mixed?: boolean;
  /** What is being chosen. Shown beside the box unless `bare`. */
  readonly label: string;
  readonly bare?: boolean;
  readonly disabled?: boolean;
  /** Outside the tab order, where a grid's own keys do the same. */
  readonly untabbed?: boolean;
  /** `shift`: held while it was pressed, to extend a selection. */
  readonly onChange: (checked: boolean, shift: boolean) => void;
  readonly className?: string;
}

/** A checkbox of 16 px; under a finger its target is 44 px. */
export function Box({ checked, mixed = false, label, bare = false, disabled = false, untabbed = false, onChange, className = '' }: BoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => { if (input.current) input.current.indeterminate = mixed; }, [mixed]);
  const on = checked || mixed;
  return (
    <label className={`inline-flex items-center gap-2 pointer-coarse:min-h-11 ${bare ? 'justify-center pointer-coarse:min-w-11' : ''} ${className}`}>
      <span className="relative grid size-4 shrink-0 place-items-center">
        <input
          ref={input} type="checkbox" checked={checked} disabled={disabled} {...(bare && { 'aria-label': label })} {...(untabbed && { tabIndex: -1 })}
          onChange={(event) => onChange(event.target.checked, (event.nativeEvent as MouseEvent).shiftKey)}
          className={`absolute inset-0 m-0 cursor-pointer appearance-none rounded-box border disabled:cursor-not-allowed disabled:border-rule
            ${on ? 'border-accent bg-accent' : 'border-control bg-sheet'}`}
        />
        {on && <Icon name={mixed ? 'minus' : 'check'} size={12} stroke={2.25} className="pointer-events-none relative text-on-accent" />}
      </span>
      {!bare && <span className={disabled ? 'text-ink-3' : ''}>{label}</span>}
    </label>
  );
}
