interface SkippedProps {
  readonly count: number;
  /** The width of one, in CSS. */
  readonly width: string;
}

/** The space of columns that a grid doesn't render. */
export const SkippedColumns = ({ count, width }: SkippedProps) =>
  count > 0 && <span aria-hidden style={{ flex: 'none', width: `calc(${count} * ${width})` }} />;
