import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

export interface ChipSelectProps {
  readonly name: string;
  readonly label?: string;
  readonly icon?: IconName;
  readonly value: string;
  /**
   * The default value. In a narrow `@container/tools`, only the label is shown for it, and only the
   * value for any other.
   */
  readonly rest?: string;
  /**
   * When space is short, this one is truncated first, and hidden next if it has its default value.
   */
  readonly gives?: boolean;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChoose: (value: string, at: number) => void;
}

/**
 * A chip over the browser's native select: it loads nothing, and works on phones and with all
 * screen readers.
 */
export function ChipSelect({
  name,
  label,
  icon,
  value,
  rest,
  gives = false,
  options,
  onChoose,
}: ChipSelectProps) {
  const word = options.find(([one]) => one === value)?.[1] ?? '';
  return (
    <span
      {...(value === rest && { 'data-rest': '' })}
      className={`group/chip relative inline-flex h-7 shrink-0 ${gives ? 'tablet:min-w-16 tablet:shrink tablet:@min-[990px]/tools:min-w-32 tablet:@max-[560px]/tools:data-rest:hidden' : ''} items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 whitespace-nowrap tablet:@max-[660px]/tools:px-1.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:bg-wash pointer-coarse:h-11 pointer-coarse:px-3`}
    >
      {icon && (
        <Icon name={icon} className="text-ink-3 max-tablet:hidden @max-[990px]/tools:hidden" />
      )}
      {label !== undefined && (
        <span
          className="shrink-0 text-ink-3 max-tablet:hidden tablet:@max-[990px]/tools:group-not-data-rest/chip:hidden"
          aria-hidden
        >
          {label}
        </span>
      )}
      <span
        aria-hidden
        className="max-w-60 truncate tablet:@max-[990px]/tools:group-data-rest/chip:hidden"
      >
        {word}
      </span>
      <Icon
        name="chevron-down"
        className="text-ink-3 tablet:@max-[560px]/tools:group-data-rest/chip:hidden"
      />
      <select
        data-tip={gives ? word : undefined}
        aria-label={name}
        value={value}
        onChange={(event) => onChoose(event.target.value, event.timeStamp)}
        className="absolute inset-0 w-full cursor-pointer appearance-none bg-sheet text-ink opacity-0"
      >
        {options.map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </span>
  );
}
