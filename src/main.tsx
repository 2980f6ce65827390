import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { setClient } from './app/worker/worker-client.ts';
import { watchLanguage } from './app/follow-language.ts';
import { startLanguage } from './app/language.ts';
import { router } from './app/router/router.tsx';
import { startTheme } from './app/theme.ts';
import { takeFragment } from './app/session/sign-in-context.ts';
import { watchSession } from './app/router/session-routing.ts';
import { startWorker } from './app/worker/start-worker.ts';

takeFragment();
startTheme();
setClient(startWorker());
watchSession(router);
watchLanguage(router);
await startLanguage();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
