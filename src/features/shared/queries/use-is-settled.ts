import { useEffect, useState } from 'react';
import type { Ms } from '#contract/ids.ts';

/** Returns whether a value has not changed for some time, such as a text that somebody types. */
export function useIsSettled(value: string, ms: Ms): boolean {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled === value;
}
