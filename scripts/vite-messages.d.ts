import type { Plugin } from 'vite';
/**
 * Compiles the message catalogs (`messages.en.ts`) at build time. The browser then needs no parser,
 * and loads Lingui only with catalogs that have plurals, numbers or dates.
 */
export declare function messageCatalogs(): Plugin;
/** A message in the source of a catalog. `start` and `end`: the offsets of its literal. */
export interface Message {
  readonly key: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
/**
 * Returns the messages of a catalog, in source order.
 * @throws Error where a message is not a string literal.
 */
export declare function messagesIn(code: string, file: string): Generator<Message>;
