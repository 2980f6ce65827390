import { useEffect, useState } from 'react';
import type { Ms } from '#contract/ids.ts';

const REST_MS: Ms = 250;

/** Returns a text once a person has stopped typing: a search of it can be long work. No text: at once. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return text === '' ? '' : rested;
}
