import { createRouter } from '@tanstack/react-router';
import { PageLoading } from '../shell/page-loading.tsx';
import { ScreenError } from '../shell/screen-error.tsx';
import { routes } from './routes.tsx';

/** Search parameters are plain text, as a person would type them: `?state=Failed,Error`. */
export const router = createRouter({
  routeTree: routes,
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(
      Object.entries(search as Record<string, unknown>).map(([key, value]) => [key, String(value)]),
    ).toString();
    return query === '' ? '' : `?${query.replaceAll('%2C', ',')}`;
  },
  defaultPreload: 'intent',
  defaultPendingMs: 100,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: ScreenError,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
