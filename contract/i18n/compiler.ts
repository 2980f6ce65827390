import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { Compiled } from './compiled.ts';
import './icu.ts';

/**
 * Compiles an ICU message. The page's build compiles messages in advance and replaces this file, so
 * that neither the parser nor Lingui reaches a page that doesn't need it.
 */
export function compile(text: string): Compiled {
  if (!/[{']/.test(text)) return text;
  const tokens = compileMessage(text) as Compiled;
  return tokens.length === 1 && typeof tokens[0] === 'string' ? tokens[0] : tokens;
}
