import { useEffect, useState } from 'react';

/**
 * The number of fully expanded company or cause filters. Only while it is positive, the worker
 * sends complete lists.
 */
let tell: (by: number) => void = () => {};

export function useAllFacets(): boolean {
  const [open, setOpen] = useState(0);
  useEffect(() => {
    tell = (by) => setOpen((before) => before + by);
  }, []);
  return open > 0;
}

/** Returns the release function. */
export function openAllFacets(): () => void {
  tell(1);
  return () => tell(-1);
}
