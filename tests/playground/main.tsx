import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { setClient } from '#src/app/worker/worker-client.ts';
import { router } from '#src/app/router/router.tsx';
import { startTheme } from '#src/app/theme.ts';
import { watchSession } from '#src/app/router/session-routing.ts';
import { makeDailyChecksClient } from './daily-checks-client.ts';
import { makeFakeClient } from './fake-client.ts';
import { NOW, getScene } from './scene.ts';
import '#src/styles/app.css';

// A scene is chosen by `localStorage.scene = '{"who":"expired"}'`: see scene.ts for what there is.
startTheme();
const { client, play } = makeFakeClient(getScene(localStorage.getItem('scene')));
const checks = makeDailyChecksClient(client, NOW, localStorage.getItem('checks'));
setClient(checks.client);
Object.assign(globalThis, { play: { ...play, ...checks.play } });
watchSession(router);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
