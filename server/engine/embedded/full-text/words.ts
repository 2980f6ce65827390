import type { Bytes } from '#contract/ids.ts';
import { splitWords } from '../explorer/search-words.ts';

/** The most that is stored of an item's words. */
const MAX_BYTES: Bytes = 65_536;
/** Longer ones are no words: nobody searches for them. */
const MAX_WORD_CHARS = 100;

/**
 * Collects the words of texts, each once and in small letters: they can be searched, and no sentence
 * can be read from them. What doesn't fit is left out.
 */
export interface WordList {
  /** Returns whether more words fit. */
  add(text: string): boolean;
  readonly text: string;
}

export function makeWordList(): WordList {
  const words = new Set<string>();
  let bytes = 0;
  return {
    add(text) {
      for (const word of splitWords(text.toLowerCase())) {
        if (word.length > MAX_WORD_CHARS || words.has(word)) continue;
        const size = Buffer.byteLength(word) + 1;
        if (bytes + size > MAX_BYTES) return false;
        bytes += size;
        words.add(word);
      }
      return true;
    },
    get text() {
      return [...words].join(' ');
    },
  };
}
