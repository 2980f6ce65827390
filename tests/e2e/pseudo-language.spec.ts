/* oxlint-disable unicorn/consistent-function-scoping -- functions of the page cannot be outside of what is evaluated there */
import { expect, test } from '@playwright/test';
import type { Page } from '@playwright/test';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { createKey, openPortal, post, signIn } from './portal.ts';
import type { SharedPortal } from './portal.ts';

/** The screens that an administrator can open, and one that doesn't exist. */
const SCREENS = [
  'monitoring/dashboard',
  'monitoring/calendar-report',
  'monitoring/daily-checks',
  'monitoring/evidence',
  'monitoring/repositories',
  'monitoring/computers',
  'monitoring/rankings',
  'monitoring/spreadsheet',
  'monitoring/tickets',
  'monitoring/rules',
  'monitoring/hints',
  'monitoring/users',
  'monitoring/companies',
  'monitoring/sla',
  'monitoring/users-logs',
  'monitoring/report-settings',
  'monitoring/analytics/trends',
  'monitoring/support/request',
  'monitoring/invoices',
  'monitoring/billing',
  'monitoring/sources',
  'monitoring/connections',
  'monitoring/webhooks',
  'monitoring/ticketing',
  'monitoring/profile',
  'monitoring/notifications',
  'monitoring/security',
  'monitoring/change-password',
  'monitoring/api-keys',
  'monitoring/wall',
  'no/such/page',
] as const;

/**
 * What has plain letters in every language. The test's own data is in Cyrillic letters, so every
 * other plain letter belongs to a text that isn't in a catalog.
 */
const SAME_EVERYWHERE = [
  /[\w.]+@example\.com\b/g,
  // Dates, times, sizes and lists, as `Intl` writes them in German.
  /\b(?:(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|Mo|Di|Mi|Do|Fr|Sa|So)\b/g,
  /\b(?:Januar|Februar|April|Juni|Juli|August|September|Oktober|November|Dezember|Jan|Feb|März?|Apr|Mai|Aug|Sept|Okt|Nov|Dez)(?!\p{L})/gu,
  /\b(?:und|oder|UTC|[kMGTP]?B)\b/g,
  // Names of products, protocols and formats.
  new RegExp(String.raw`\b(?:${Object.values(SOURCE_NAMES).join('|')})\b`, 'g'),
  /\b(?:Daybook|QuickBooks|ConnectWise|Autotask|Veeam|Borg|SureBackup|HTTPS?|CSV|PDF|HTML|JSON|SMS|API)\b/g,
  // What the product starts with: provider, company, title, first user, and the test's source.
  /\b(?:My provider|Provider p\d+-\w+|First company|Portal|admin|(?:p\d+-\w+\.)?localhost|Administrator|Key 0\.\d+)\b|…[\w-]{4}(?![\w-])/g,
  // The people of the test's portal.
  /\b(?:Dana Reyes|Rita Only|dana|rita)\b/g,
  // The program that signed in for the test, and the browser's own name.
  /\bnode\b|Mozilla\/5\.0 .*/g,
];

const at = (hoursAgo: number): string => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();

let portal: SharedPortal;
test.beforeEach(async () => {
  portal = await openPortal();
  await post(portal.url, await createKey(portal), [
    ...[3, 27, 51, 75].map((hours) => ({
      job: 'Ночной архив',
      computer: 'сервер-1',
      status: 'Success',
      bytesTransferred: 9e9,
      startTime: at(hours),
      endTime: at(hours - 0.5),
    })),
    {
      job: 'Почта',
      computer: 'сервер-2',
      status: 'Failed',
      message: 'Диск заполнен',
      startTime: at(2),
      endTime: at(1),
    },
    // Whatever the time of day, it has run, but not today.
    ...[51, 75].map((hours) => ({
      job: 'Архив недели',
      computer: 'сервер-1',
      status: 'Success',
      startTime: at(hours),
      endTime: at(hours - 0.5),
    })),
    { job: 'Файлы', computer: 'сервер-2', status: 'Warning', message: 'Пропущено 3 файла' },
  ]);
});
test.afterEach(async () => {
  await portal.stop();
});

/** Some screens at a time: a busy machine takes seconds for each. */
const PARTS = [1440, 390].flatMap((width) =>
  [0, 1, 2].map((part) => ({
    width,
    part,
    screens: SCREENS.filter((_, n) => n % 3 === part),
  })),
);
for (const { width, part, screens } of PARTS)
  test(`I18N-2: in the pseudo-language every text of a screen is translated, and none is cut or too wide: ${width} px, part ${part + 1}`, async ({
    page,
  }) => {
    await signIn(page, portal.url, 'admin', portal.password);
    await page.evaluate(() => localStorage.setItem('language', 'en-XA'));
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    const found: string[] = [];
    for (const path of screens) {
      await page.goto(`${portal.url}/${path}`);
      await expect(page.locator('h1').first()).toBeAttached();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await untilStill(page);
      for (const error of await findTextIssues(page)) found.push(`${path}: ${error}`);
    }
    expect(found).toEqual([]);
  });

/** Resolves when the page shows the same text twice in a row. */
async function untilStill(page: Page): Promise<void> {
  let before = '';
  await expect
    .poll(
      async () => {
        const now = await page.locator('body').innerText();
        const isSame = now === before;
        before = now;
        return isSame;
      },
      { intervals: [250] },
    )
    .toBe(true);
}

/** Returns texts outside the catalogs, cut texts, and content wider than the window. */
async function findTextIssues(page: Page): Promise<readonly string[]> {
  const { texts, cut, wide } = await page.evaluate(() => {
    const isShown = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.getClientRects().length > 0;
    const isSmall = ({ clientWidth, clientHeight }: Element): boolean =>
      clientWidth <= 1 && clientHeight <= 1;
    const all = [...document.querySelectorAll('body *')].filter(isShown);
    const own = (element: Element): string =>
      [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent?.trim() ?? '')
        .join(' ')
        .trim();
    return {
      texts: all
        .filter((element) => element.closest('kbd, code, pre, script, style') === null)
        .flatMap((element) => [
          own(element),
          element.getAttribute('aria-label') ?? '',
          element.getAttribute('data-tip') ?? '',
          element.getAttribute('placeholder') ?? '',
        ])
        .filter((text) => text !== ''),
      cut: all
        .filter(
          (element) =>
            !isSmall(element) &&
            element.scrollWidth > element.clientWidth + 1 &&
            /hidden|clip/.test(getComputedStyle(element).overflowX) &&
            (element.textContent ?? '').trim() !== '' &&
            element.closest('[data-tip]') === null &&
            element.parentElement?.querySelector('[data-tip]') === null,
        )
        .map((element) => (element.textContent ?? '').trim().slice(0, 60)),
      wide: [document.documentElement, ...document.querySelectorAll('#content')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
    };
  });
  const plain = texts.filter((text) =>
    /[A-Za-z]{2}/.test(SAME_EVERYWHERE.reduce((left, same) => left.replaceAll(same, ''), text)),
  );
  return [
    ...new Set([
      ...plain.map((text) => `plain: ${text}`),
      ...cut.map((text) => `cut: ${text}`),
      ...wide.map((text) => `wide: ${text}`),
    ]),
  ];
}
