import { encodeColumns, runAt, viewColumns } from '#contract/runs/columns.ts';
import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import { makeChanges, makeData } from '../data.ts';
import type { BenchData } from '../data.ts';
import { leanRuns } from './rows.ts';
import { PLAIN_BRANDING } from '#contract/branding/branding.ts';
import { PLAIN } from '#tests/me.ts';
import { OWNER } from '../now.ts';

/** Of no concern to an opening: loaded with the data alone. */
export const ME = {
  id: OWNER.user,
  username: 'bench',
  name: 'Bench',
  email: 'bench@example.com',
  roles: ['operator' as const],
  companies: null,
  serviceProviderId: OWNER.tenant,
  ...PLAIN,
};
export const BRANDING = {
  id: OWNER.tenant,
  name: 'Bench',
  title: 'Portal',
  favIconUrl: null,
  apiUrl: '/api/v1',
  domain: 'localhost',
  sidebarLogoUrl: null,
  sidebarLogoWidth: null,
  sidebarLogoHeight: null,
  sidebarTitle: 'Portal',
  supportEmail: null,
  supportPhone: null,
  authType: 'db' as const,
  isStripeEnabled: false,
  accent: null,
  accentDark: null,
  sidebar: null,
  sidebarDark: null,
  timeZone: 'Europe/Berlin',
  dayBeginsHour: 0,
  offlineDays: 7,
  ...PLAIN_BRANDING,
};

const DAY_SEC = 86_400;
let made: { runs: number; data: BenchData; lean: LeanRun[] } | null = null;
export function getData(runs: number): BenchData {
  if (made?.runs !== runs) {
    const data = makeData(runs);
    made = { runs, data, lean: leanRuns(data) };
  }
  return made.data;
}

/** As the wire brings them: a day's runs in pages, the newest day first. */
export function getDays(data: BenchData): (readonly [day: string, pages: RunColumns[]])[] {
  const days = new Map<number, LeanRun[]>();
  for (const page of data.pages) {
    const columns = viewColumns(page.buffer);
    for (let row = 0; row < columns.rows; row++) {
      const run = runAt(columns, row);
      const day = Math.floor(run.startSec / DAY_SEC);
      const list = days.get(day);
      if (list) list.push(run);
      else days.set(day, [run]);
    }
  }
  return [...days]
    .sort((a, b) => b[0] - a[0])
    .map(([day, runs]) => {
      const pages: RunColumns[] = [];
      for (let at = 0; at < runs.length; at += 16_384)
        pages.push(viewColumns(encodeColumns(runs.slice(at, at + 16_384)).buffer));
      return [new Date(day * DAY_SEC * 1000).toISOString().slice(0, 10), pages] as const;
    });
}

export const getChanges = (runs: number, round: number): ReturnType<typeof makeChanges> => {
  const data = getData(runs);
  return makeChanges(data, (place) => made!.lean[place]!, round);
};
