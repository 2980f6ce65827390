import { useRouterState } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * Returns the query of a wizard's address. While another page loads, the address is already that
 * page's; the wizard keeps its own, so that it doesn't turn into another one.
 */
export function useWizardQuery(path: string): string {
  const query = useRouterState({
    select: ({ location }) => (location.pathname.startsWith(path) ? location.searchStr : null),
  });
  const [last, setLast] = useState(query ?? '');
  if (query !== null && query !== last) setLast(query);
  return query ?? last;
}
