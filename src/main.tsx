import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onWho, setDoor, whoNow } from './door.ts';
import { pauseRemembering } from './remembered.ts';
import { router } from './router.tsx';
import { startTheme } from './theme.ts';
import { startWorker } from './worker.ts';

startTheme();
setDoor(startWorker());

// Whoever comes or goes, or gets other roles, passes the guards anew.
let last = '';
onWho(() => {
  const who = whoNow();
  const key = who.is === 'in' ? `in ${who.me.id} ${who.me.roles.join()}` : who.is;
  if (key === last || who.is === 'starting') return;
  last = key;
  if (who.is === 'in') pauseRemembering(false);
  void router.invalidate();
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(<StrictMode><RouterProvider router={router} /></StrictMode>);
