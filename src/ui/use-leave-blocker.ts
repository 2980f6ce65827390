import { useBlocker } from '@tanstack/react-router';

/**
 * Holds back whoever leaves the page while `dirty`: by a link, by going back, or by closing the tab.
 * `leaves`: whether a path and its query, without `?`, leave the form; by default each does.
 */
export const useLeaveBlocker = (
  dirty: boolean,
  leaves: (path: string, query: string) => boolean = () => true,
) =>
  useBlocker({
    shouldBlockFn: ({ next }) =>
      dirty &&
      leaves(
        next.pathname,
        new URLSearchParams(
          Object.entries(next.search).map(([key, value]) => [key, String(value)]),
        ).toString(),
      ),
    enableBeforeUnload: dirty,
    withResolver: true,
  });
