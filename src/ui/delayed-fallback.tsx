import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';

/** Renders its children after 100 ms. Faster loads need no skeleton. */
export function DelayedFallback({ children }: { readonly children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 100);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}
