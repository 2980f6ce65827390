import { useEffect, useState } from 'react';

/**
 * How many lists of companies or causes stand open with all that they have: then, and only then,
 * the worker tells them all.
 */
let tell: (by: number) => void = () => {};

export function useAllFacets(): boolean {
  const [open, setOpen] = useState(0);
  useEffect(() => {
    tell = (by) => setOpen((before) => before + by);
  }, []);
  return open > 0;
}

/** Answers how to let go. */
export function openAllFacets(): () => void {
  tell(1);
  return () => tell(-1);
}
