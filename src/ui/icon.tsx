import type { MORE } from './icon-more.ts';
import { FIRST } from './icon-paths.ts';

export type IconName = keyof typeof FIRST | keyof typeof MORE;
type Paths = Partial<Readonly<Record<IconName, string>>>;

let paths: Paths = FIRST;
let dashes: Paths = {};

/**
 * Adds the icons of `icon-more.ts` when they are loaded; the first page does not wait for them.
 * `dashed`: a second path.
 */
export function addPaths(more: Paths, dashed: Paths): void {
  paths = { ...paths, ...more };
  dashes = { ...dashes, ...dashed };
}

export interface IconProps {
  readonly name: IconName;
  /** CSS pixels, 16 by default. */
  readonly size?: number;
  /** Stroke width in units of the 16 px drawing, 1.5 by default. */
  readonly stroke?: number;
  /** Accessible name, only if there is no text beside the icon. */
  readonly label?: string;
  readonly className?: string;
}

/** A line icon in the color of the surrounding text. */
export function Icon({ name, size = 16, stroke = 1.5, label, className = '' }: IconProps) {
  const dashed = dashes[name];
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      className={`block shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label === undefined ? { 'aria-hidden': true } : { 'role': 'img', 'aria-label': label })}
    >
      {dashed !== undefined && <path d={dashed} strokeDasharray="2.5 2.41" />}
      <path d={paths[name]} />
    </svg>
  );
}
