import { expect, test } from 'vitest';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Features } from '#contract/branding/branding.ts';
import { PLAIN_FEATURES } from '#contract/branding/branding.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import type { SyncStatus } from '#workers/api.ts';
import { getContext, contextParts } from '#src/features/support/context.ts';
import { getMenu } from '#src/app/router/menu.ts';

const OFF = { request: false, live: false, downloads: false, faq: { enabled: false, url: null } };
const supported = (
  links: Partial<Features['supportSection']['links']>,
  enabled = true,
): Features => ({ ...PLAIN_FEATURES, supportSection: { enabled, links: { ...OFF, ...links } } });
const ADDRESSES = {
  request: '/monitoring/support/request',
  live: '/monitoring/support/live',
  downloads: '/monitoring/downloads',
} as const;
const group = (features: Features | null) =>
  getMenu(['operator'], features).find(({ heading }) => heading === 'Support');

test('SUPPORT-1: each page, and its menu entry, exists if the section and its own link are on', () => {
  for (const link of ['request', 'live', 'downloads'] as const) {
    for (const [features, there] of [
      [supported({ [link]: true }), true],
      [supported({ [link]: true }, false), false],
      [supported({ request: true, live: true, downloads: true, [link]: false }), false],
      [null, false],
    ] as const) {
      expect([
        link,
        mayOpen(PAGES[ADDRESSES[link]], ['operator'], features),
        (group(features)?.entries ?? []).some(({ to }) => to === ADDRESSES[link]),
      ]).toEqual([link, there, there]);
    }
  }
  const faq = { enabled: true, url: 'https://help.example.com/' };
  expect([group(supported({})), group(supported({ faq }, false))]).toEqual([undefined, undefined]);
  const alone = group(supported({ faq }));
  expect([alone?.entries, alone?.outside?.(supported({ faq }), 'monitoring')]).toEqual([
    [],
    [{ href: faq.url, word: 'FAQ' }],
  ]);
});

const STATUS = {
  kind: 'live',
  syncedAt: Date.parse('2026-03-02T07:30:00Z'),
  left: 0,
  waiting: 2,
  refused: 0,
  storage: 'persisted',
} as SyncStatus;

test('SUPPORT-4: an address without its query, sentences without names, and each part can be left out', () => {
  const parts = contextParts({
    path: '/monitoring/daily-checks?q=Calloway#x',
    agent: 'Browser/1',
    status: STATUS,
    failures: [
      BASE.noAnswer,
      MESSAGES.ticketNotMapped({ company: 'Calloway Freight', system: 'ConnectWise' }),
      MESSAGES.export,
    ],
  });
  expect(parts.map(({ part, text }) => [part, text])).toEqual([
    ['page', '/monitoring/daily-checks'],
    ['errors', `${BASE.noAnswer} | ${MESSAGES.export}`],
    [
      'sync',
      'up to date, last full sync 2026-03-02 07:30:00 UTC, 0 to load, 2 waiting, 0 rejected, storage persisted',
    ],
    ['version', '2.2.14'],
    ['browser', 'Browser/1'],
  ]);
  expect(Object.keys(getContext(parts, new Set(['browser', 'errors'])))).toEqual([
    'page',
    'sync',
    'version',
  ]);
  expect(getContext(parts, new Set(parts.map(({ part }) => part)))).toEqual({});
  // What is not known is no part.
  expect(
    contextParts({ path: null, agent: '', status: undefined, failures: [] }).map(
      ({ part }) => part,
    ),
  ).toEqual(['version']);
});
