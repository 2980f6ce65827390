import { useEffect, useState } from 'react';

/**
 * The number of fully expanded company or cause filters. Only while it is positive, the worker
 * sends complete lists.
 */
let changeOpen: (by: number) => void = () => {};

export function useAllFacets(): boolean {
  const [open, setOpen] = useState(0);
  useEffect(() => {
    changeOpen = (by) => setOpen((before) => before + by);
  }, []);
  return open > 0;
}

/** Returns the release function. */
export function openAllFacets(): () => void {
  changeOpen(1);
  return () => changeOpen(-1);
}
