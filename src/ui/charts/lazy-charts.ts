import { lazyPart } from '../lazy-part.ts';

const areas = () => import('./area-drawing.tsx');
const bars = () => import('./bar-drawing.tsx');
const sparks = () => import('./spark-line.tsx');

/** Loads what charts need, with the chart library. */
export const bringCharts = () => Promise.all([areas(), bars(), sparks()]);

/** Drawings that load the chart library. Place them in a box of their size, inside `Suspense`. */
export const Areas = lazyPart(async () => (await areas()).AreaDrawing);
export const Bars = lazyPart(async () => (await bars()).BarDrawing);
export const Levels = lazyPart(async () => (await bars()).LevelDrawing);
export const SparkLine = lazyPart(async () => (await sparks()).SparkLine);
