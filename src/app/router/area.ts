import { useRouterState } from '@tanstack/react-router';
import { type Area, getArea, getPageIn, type PagePath } from '#contract/page-paths.ts';

/** Returns the area of the current page. */
export const useArea = (): Area =>
  useRouterState({ select: ({ location }) => getArea(location.pathname) });

/** Returns the page in the current area, so that its links don't leave the app. */
export const useAreaPage = (path: PagePath): PagePath => getPageIn(useArea(), path);
