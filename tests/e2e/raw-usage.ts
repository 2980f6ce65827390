import type { ServiceLevel } from '#contract/billing/service-levels.ts';

const DAY = 86_400_000;

/** Backup sessions of an object of somebody: a restore point at each of these moments. */
export interface RawSessions {
  readonly user: string;
  readonly kind: 'mailbox' | 'drive' | 'site';
  readonly isLicensed: boolean;
  readonly bytes: number;
  readonly points: readonly number[];
}
export interface RawUsage {
  readonly company: string;
  readonly level: ServiceLevel;
  readonly currency: 'USD';
  readonly userMills: number;
  readonly gigabyteMills: number;
  readonly minimumUsers: number;
  readonly startedAt: number;
  readonly periodEndsAt: number;
  readonly sessions: readonly RawSessions[];
}

/** Half a year of sessions of some people. */
export function makeRawUsage(now: number): RawUsage {
  const startedAt = now - 180 * DAY;
  let state = 11;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const sessions = Array.from({ length: 24 }, (_, index): RawSessions => {
    const person = index >> 1;
    // Every third person left, so that their license ran out during the month before.
    const leftDaysAgo = new Date(now).getUTCDate() + 31 + ((5 + person * 3) % 30);
    const until = person % 3 === 0 ? now - leftDaysAgo * DAY : now;
    const points: number[] = [];
    for (let at = startedAt + random(100) * DAY; at < until; at += (1 + random(9)) * DAY)
      points.push(at + random(DAY));
    return {
      user: `person${person}`,
      kind: index === 23 ? 'site' : index % 2 === 0 ? 'mailbox' : 'drive',
      isLicensed: person !== 4,
      bytes: 1_000_000_000 + random(90) * 123_456_789,
      points: points.filter((at) => at < until),
    };
  });
  return {
    company: 'First company',
    level: 'licenseStorage',
    currency: 'USD',
    userMills: 1_530,
    gigabyteMills: 105,
    minimumUsers: 3,
    startedAt,
    periodEndsAt: now + 3 * DAY,
    sessions,
  };
}

/** What a month costs, in cents, from the raw sessions alone: slow, and by the text of the rules. */
export function billMonth(usage: RawUsage, year: number, month: number) {
  const first = Date.UTC(year, month - 1, 1);
  const next = Date.UTC(year, month, 1);
  let userDays = 0;
  let byteDays = 0;
  for (let midnight = first + DAY; midnight <= next; midnight += DAY) {
    const users = new Set<string>();
    for (const { user, kind, isLicensed, bytes, points } of usage.sessions) {
      const isProtected = points.some((at) => at < midnight && at >= midnight - 31 * DAY);
      if (!isProtected || kind === 'site') continue;
      byteDays += bytes;
      if (isLicensed) users.add(user);
    }
    userDays += users.size;
  }
  const days = (next - first) / DAY;
  // In hundredths, as the page shows quantities.
  const userHundredths = Math.max(usage.minimumUsers * 100, Math.round((userDays * 100) / days));
  const gigabyteHundredths = Math.round(byteDays / 1e7 / days);
  const userCents = Math.round((userHundredths * usage.userMills) / 1_000);
  const gigabyteCents = Math.round((gigabyteHundredths * usage.gigabyteMills) / 1_000);
  return {
    users: userHundredths / 100,
    gigabytes: gigabyteHundredths / 100,
    userCents,
    gigabyteCents,
    totalCents: userCents + gigabyteCents,
  };
}
