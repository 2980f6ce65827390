import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { setDoor } from '#src/door.ts';
import { router } from '#src/router.tsx';
import { startTheme } from '#src/theme.ts';
import { watchWho } from '#src/who-router.ts';
import { dailyChecksDoor } from './daily-checks-door.ts';
import { fakeDoor } from './fake-door.ts';
import { NOW, sceneOf } from './scene.ts';
import '#src/look/app.css';

// A scene is chosen by `localStorage.scene = '{"who":"expired"}'`: see scene.ts for what there is.
startTheme();
const { door, play } = fakeDoor(sceneOf(localStorage.getItem('scene')));
const checks = dailyChecksDoor(door, NOW, localStorage.getItem('checks'));
setDoor(checks.door);
Object.assign(globalThis, { play: { ...play, ...checks.play } });
watchWho(router);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
