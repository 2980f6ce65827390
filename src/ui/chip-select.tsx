import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

export interface ChipSelectProps {
  readonly name: string;
  readonly label?: string;
  readonly icon?: IconName;
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChoose: (value: string, at: number) => void;
}

/** A chip over the browser's own list: nothing to load, at home on a phone, known to every screen reader. */
export function ChipSelect({ name, label, icon, value, options, onChoose }: ChipSelectProps) {
  return (
    <span className="relative inline-flex h-7 shrink-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 whitespace-nowrap focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:bg-wash pointer-coarse:h-11 pointer-coarse:px-3">
      {icon && <Icon name={icon} className="text-ink-3 max-tablet:hidden" />}
      {label !== undefined && <span className="text-ink-3 max-tablet:hidden" aria-hidden>{label}</span>}
      <span aria-hidden className="max-w-60 truncate">{options.find(([one]) => one === value)?.[1] ?? ''}</span>
      <Icon name="chevron-down" className="text-ink-3" />
      <select
        aria-label={name} value={value} onChange={(event) => onChoose(event.target.value, event.timeStamp)}
        className="absolute inset-0 w-full cursor-pointer appearance-none bg-sheet text-ink opacity-0"
      >
        {options.map(([one, word]) => <option key={one} value={one}>{word}</option>)}
      </select>
    </span>
  );
}
