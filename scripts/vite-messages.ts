import { parseAst } from 'vite';
import type { Plugin } from 'vite';
import { compile } from '../contract/i18n/compiler.ts';

/**
 * Compiles the message catalogs (`messages.en.ts`) at build time. The browser then needs no parser,
 * and loads Lingui only with catalogs that have plurals, numbers or dates.
 */
export function messageCatalogs(): Plugin {
  return {
    name: 'daybook-messages',
    enforce: 'pre',
    load: {
      filter: { id: COMPILER },
      handler: () => 'export const compile = (message) => message;',
    },
    transform: {
      filter: { id: /[/.]messages\.[\w-]+\.ts$/ },
      handler(code, id) {
        const edits = [...messagesIn(code, id)].toReversed();
        let text = code;
        let needsFormatter = false;
        for (const { start, end, text: message } of edits) {
          const compiled = compile(message);
          needsFormatter ||=
            typeof compiled !== 'string' &&
            compiled.some((token) => typeof token !== 'string' && token.length > 1);
          text = text.slice(0, start) + JSON.stringify(compiled) + text.slice(end);
        }
        return {
          code: needsFormatter ? `import '#contract/i18n/icu.ts';\n${text}` : text,
          map: null,
        };
      },
    },
  };
}

const COMPILER = /\/contract\/i18n\/compiler\.ts$/;

/** A message in the source of a catalog. `start` and `end`: the offsets of its literal. */
export interface Message {
  readonly key: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Returns the messages of a catalog, in source order.
 * @throws Error where a message is not a string literal.
 */
export function* messagesIn(code: string, file: string): Generator<Message> {
  for (const call of findCalls(parseAst(code, { lang: 'ts' }) as unknown as Node)) {
    const [, texts] = call['arguments'] as Node[];
    if (texts?.type !== 'ObjectExpression')
      throw new Error(`${file}: defineMessages takes an object literal`);
    for (const property of texts['properties'] as Node[]) {
      const value = property['value'] as Node | undefined;
      if (value?.type !== 'Literal' || typeof value['value'] !== 'string')
        throw new Error(`${file}: a message is a string literal`);
      yield {
        key: (property['key'] as Node & { name: string }).name,
        text: value['value'],
        start: value.start,
        end: value.end,
      };
    }
  }
}

function* findCalls(node: Node): Generator<Node> {
  if (
    node.type === 'CallExpression' &&
    (node['callee'] as Node & { name?: string }).name === 'defineMessages'
  )
    yield node;
  for (const value of Object.values(node).flat())
    if (value !== null && typeof value === 'object' && 'type' in value)
      yield* findCalls(value as Node);
}
