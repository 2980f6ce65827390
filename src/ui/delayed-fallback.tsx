import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';

/** Shows what it holds after 100 ms only: what is quick needs no skeleton. */
export function DelayedFallback({ children }: { readonly children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 100);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}
