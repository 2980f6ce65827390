import { useState } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { useQuery } from '../../shared/queries/use-query.ts';

type Page = OutputOf<'listAdminEvents'>;
/**
 * `page`: null before the first one has arrived. The previous page stays while another one loads.
 */
export interface EventsQuery {
  readonly page: Page | null;
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly again: () => void;
}

/** Loads a page of the log. It is the server's own record and is never stored on this device. */
export function useEvents(input: InputOf<'listAdminEvents'>, wanted: boolean): EventsQuery {
  const { value, failure, isLoading, again } = useQuery('listAdminEvents', input, wanted, {
    keepsPrevious: true,
  });
  // A page also stays if the next one can't be loaded.
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return { page: value ?? last, busy: isLoading, failure, again };
}
