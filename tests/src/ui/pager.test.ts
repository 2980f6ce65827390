import * as fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { parseSubscriptionsAddress } from '#src/features/billing/all-subscriptions/address.ts';
import { USAGE_DEFAULTS } from '#src/features/billing/suite-usage/address.ts';
import { invoicesPlace } from '#src/features/billing/invoices/address.ts';
import { licensingPlace } from '#src/features/billing/licensing/address.ts';
import { slaPlace } from '#src/features/sla/address.ts';
import { ticketsPlace } from '#src/features/tickets/address.ts';
import { companiesPlace } from '#src/features/companies/address.ts';
import { logsPlace } from '#src/features/users/logs/address.ts';
import { usersPlace } from '#src/features/users/address.ts';
import { reportsPlace } from '#src/features/reports/address.ts';
import { Pager } from '#src/ui/pager.tsx';

const nothing = (): void => undefined;
const markup = (page: number, size: number, count: number): string =>
  renderToStaticMarkup(
    createElement(Pager, {
      page,
      size,
      count,
      total: `${count} users`,
      onPage: nothing,
      onSize: nothing,
    }),
  );

test('PAGE-9: every paged list starts with ten rows of its first page', () => {
  const places = [
    usersPlace(''),
    companiesPlace(''),
    logsPlace(''),
    invoicesPlace(''),
    licensingPlace(''),
    ticketsPlace(''),
    slaPlace(''),
    reportsPlace(''),
    parseSubscriptionsAddress('', '2026-06-15'),
    USAGE_DEFAULTS,
  ];
  expect(places.map(({ page, size }) => [page, size])).toEqual(places.map(() => [1, 10]));
});

test('PAGE-9: five pages are linked, the current one is marked, and the arrows can be reached on the first and the last page', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.constantFrom(10, 25, 200),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (count, size, at) => {
        const pages = Math.ceil(count / size);
        const page = 1 + Math.floor(at * pages);
        const html = markup(page, size, count);
        if (pages === 1) {
          expect(html).not.toContain('<nav');
          return;
        }
        const links = [...html.matchAll(/aria-label="Page ([\d,]+)"( aria-current="page")?/g)].map(
          ([, n = '', current]) => [Number(n.replaceAll(',', '')), current !== undefined] as const,
        );
        expect(links.length).toBe(Math.min(5, pages));
        expect(links.filter(([, current]) => current).map(([n]) => n)).toEqual([page]);
        expect(
          links.every(
            ([n], i) => n >= 1 && n <= pages && (i === 0 || n === (links[i - 1]?.[0] ?? 0) + 1),
          ),
        ).toBe(true);
        // A disabled button would lose the focus of whoever pressed it.
        expect(html).not.toContain(' disabled=""');
        expect(/aria-disabled="true"[^>]*aria-label="Previous page"/.test(html)).toBe(page === 1);
        expect(/aria-disabled="true"[^>]*aria-label="Next page"/.test(html)).toBe(page === pages);
      },
    ),
  );
});
