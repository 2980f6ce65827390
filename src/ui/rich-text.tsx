import { Fragment, isValidElement } from 'react';
import type { ReactElement, ReactNode } from 'react';

type RichValues<V> = {
  readonly [K in keyof V]: V[K] | (string extends V[K] ? ReactElement : never);
};

/**
 * Returns a message with elements for some of its placeholders, such as a link or a bold number:
 * `richText(t.progress, { done: <b>3</b>, total: '8' })`. Each language chooses their position.
 */
export function richText<V extends object>(
  message: (values: V) => string,
  values: RichValues<V>,
): ReactNode {
  const elements: ReactElement[] = [];
  const plain = Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (!isValidElement(value)) return [name, value];
      elements.push(value);
      return [name, `${MARK}${String(elements.length - 1)}${MARK}`];
    }),
  );
  return message(plain as V)
    .split(MARK)
    .map((part, i) => <Fragment key={i}>{i % 2 === 0 ? part : elements[Number(part)]}</Fragment>);
}

/** A character that never occurs in texts. */
const MARK = '\u0000';
