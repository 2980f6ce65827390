import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { setDoor } from './door.ts';
import { startLanguage } from './language.ts';
import { router } from './router.tsx';
import { startTheme } from './theme.ts';
import { takeFragment } from './way-in.ts';
import { watchWho } from './who-router.ts';
import { startWorker } from './worker.ts';

takeFragment();
startTheme();
setDoor(startWorker());
watchWho(router);
await startLanguage();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
